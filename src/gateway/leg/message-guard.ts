import type { EndReason } from "../../core/calls/reasons.ts";
import { type CallMs, callMs } from "../../core/clocks.ts";
import { TrunklineError, wireFlood } from "../../core/errors.ts";
import { PARAMETERS_BYTES_MAX, PARAMETERS_MAX } from "../../core/limits/calls/calls.ts";
import {
  CARRIER_BYTES_BURST_MAX,
  CARRIER_BYTES_PER_SECOND_MAX,
  CARRIER_ERRORS_LOGGED_PER_SECOND_MAX,
  CARRIER_MESSAGE_BYTES_MAX,
  MALFORMED_PER_SECOND_MAX,
  MARKS_PER_SECOND_MAX,
  MESSAGES_PER_SECOND_MAX,
  NON_AUDIO_MESSAGES_PER_SECOND_MAX,
  TEXT_BYTES_BURST_MAX,
  TEXT_BYTES_PER_SECOND_MAX,
  TEXTS_PER_SECOND_MAX,
  TYPED_CHARS_BURST_MAX,
  TYPED_CHARS_PER_SECOND_MAX,
} from "../../core/limits/streams/messages.ts";
import { FINALIZE_PER_SECOND_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { Logger } from "../../core/log/logger.ts";
import { opusRefusalOf } from "../../media/opus/packet.ts";
import type { ClientErrorCode } from "../../wire/client-errors.ts";
import type { InboundAudio, StreamStarted, Wire, WireEvent } from "../../wire/wire.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import { FixedWindowLimiter } from "../rate-limits/fixed-window.ts";
import { TokenBucket } from "../rate-limits/token-bucket.ts";
import { CLOSE_MESSAGE_TOO_BIG, CLOSE_UNSUPPORTED_DATA } from "../transport/close-codes.ts";

/** What a peer's message means for its call. */
export type PeerEvent =
  | Exclude<WireEvent, { kind: "ignored" | "carrier-error" }>
  /** The peer broke a rule that ends its leg; `closeCode` is set where the rule has its own. */
  | { kind: "violation"; reason: ViolationReason; closeCode: number | undefined };

type ViolationReason = Extract<EndReason, "protocol_error" | "message_flood">;

export interface MessageGuardOptions {
  wire: Wire;
  /** The wire's decode buffer; shared by all attachments of the process. */
  inbound: InboundAudio;
  counters: CallCounters;
  /** Reports a malformed message to a peer whose protocol has errors. */
  sendError: (code: ClientErrorCode, message: string) => void;
  log: Logger;
}

const VIOLATION = violation(undefined);
const FLOOD: PeerEvent = { kind: "violation", reason: "message_flood", closeCode: undefined };

const CLOSE_CODES: Readonly<Record<string, number>> = {
  wire_too_large: CLOSE_MESSAGE_TOO_BIG,
  wire_wrong_data: CLOSE_UNSUPPORTED_DATA,
};

/** The size of this many bytes of audio in padded base64. */
const base64Bytes = (count: number): number => 4 * Math.ceil(count / 3);

function violation(closeCode: number | undefined): PeerEvent {
  return { kind: "violation", reason: "protocol_error", closeCode };
}

/**
 * Checks one leg's messages: reads them, tolerates and counts minor faults, and returns the events. Messages before the
 * stream starts are dropped. Times are call time, ms. Throws only on internal errors.
 */
export class MessageGuard {
  readonly #options: MessageGuardOptions;
  readonly #malformed = new FixedWindowLimiter<CallMs>(MALFORMED_PER_SECOND_MAX);
  readonly #messages = new FixedWindowLimiter<CallMs>(MESSAGES_PER_SECOND_MAX);
  readonly #otherMessages = new FixedWindowLimiter<CallMs>(NON_AUDIO_MESSAGES_PER_SECOND_MAX);
  readonly #marks = new FixedWindowLimiter<CallMs>(MARKS_PER_SECOND_MAX);
  readonly #texts = new FixedWindowLimiter<CallMs>(TEXTS_PER_SECOND_MAX);
  readonly #finals = new FixedWindowLimiter<CallMs>(FINALIZE_PER_SECOND_MAX);
  readonly #typedChars = new TokenBucket({
    atOnce: TYPED_CHARS_BURST_MAX,
    perSecond: TYPED_CHARS_PER_SECOND_MAX,
  });
  readonly #carrierErrors = new FixedWindowLimiter<CallMs>(CARRIER_ERRORS_LOGGED_PER_SECOND_MAX);
  /** The parsing budget of the peer, bytes. */
  readonly #parseBudget: TokenBucket;
  readonly #parseLimits: Readonly<ConstructorParameters<typeof TokenBucket>[0]>;
  /** When the current message was received, and the bytes charged for it. */
  #readMs = callMs(0);
  #chargedBytes = 0;
  #streamId: string | undefined;
  #isUnknownTypeReported = false;
  #isRejectionLogged = false;

  constructor(options: MessageGuardOptions) {
    this.#options = options;
    this.#parseLimits = options.wire.binaryAudio
      ? { atOnce: TEXT_BYTES_BURST_MAX, perSecond: TEXT_BYTES_PER_SECOND_MAX }
      : { atOnce: CARRIER_BYTES_BURST_MAX, perSecond: CARRIER_BYTES_PER_SECOND_MAX };
    this.#parseBudget = new TokenBucket(this.#parseLimits);
  }

  /** Reads one message, borrowed until this returns; undefined when it needs no action. */
  read(bytes: Uint8Array, isBinary: boolean, nowMs: CallMs): PeerEvent | undefined {
    const { wire, inbound, counters } = this.#options;
    if (!this.#messages.allows(nowMs)) return VIOLATION;
    if (isBinary && !wire.binaryAudio) return violation(CLOSE_UNSUPPORTED_DATA);
    if (!isBinary && bytes.length > CARRIER_MESSAGE_BYTES_MAX) return violation(CLOSE_MESSAGE_TOO_BIG);
    this.#readMs = nowMs;
    this.#chargedBytes = 0;
    let event: WireEvent;
    try {
      event = wire.decode(bytes, inbound, isBinary, this.#charge);
      const restBytes = bytes.length - this.#chargedBytes - this.#unchargedBytes(event, isBinary);
      if (restBytes > 0) this.#charge(restBytes);
    } catch (error) {
      return this.#onRejected(error, nowMs);
    }
    if (event.kind !== "audio" && !this.#otherMessages.allows(nowMs)) return VIOLATION;
    if (event.kind === "start") return this.begin(event);
    if (event.kind === "ignored") return this.#ignore(event.what);
    if (this.#streamId === undefined) {
      // A stream has no identity before its `start`: early messages are dropped, and the start deadline stays in force.
      counters.early += 1;
      return undefined;
    }
    return this.#onStreamEvent(event, nowMs);
  }

  /**
   * A second `start` of the same stream is ignored; a `start` of another stream would be a second call on one token.
   */
  begin(start: StreamStarted): PeerEvent | undefined {
    if (this.#streamId === undefined) {
      this.#streamId = start.streamId;
      this.#countDropped(start.parameters?.droppedCount ?? 0);
      return start;
    }
    if (start.streamId !== this.#streamId) return VIOLATION;
    this.#options.counters.ignored += 1;
    return undefined;
  }

  #countDropped(droppedParameters: number): void {
    if (droppedParameters === 0) return;
    const { counters, log } = this.#options;
    counters.parametersDropped += droppedParameters;
    const limits = { countMax: PARAMETERS_MAX, bytesMax: PARAMETERS_BYTES_MAX };
    log.warn({ dropped: droppedParameters, ...limits }, "parameters of the start dropped");
  }

  /**
   * Bytes of the message that are not charged here: once the stream has started, the caller's audio is limited by its
   * duration instead. Of a message that was parsed in full, only the bytes of the audio that it delivered count,
   * whatever else it calls a payload.
   */
  #unchargedBytes(event: WireEvent, isBinary: boolean): number {
    if (event.kind !== "audio") return 0;
    if (isBinary) return Number.POSITIVE_INFINITY;
    if (this.#streamId === undefined) return 0;
    // A fast reader charges nothing: it checks every byte of the message.
    return this.#chargedBytes === 0 ? Number.POSITIVE_INFINITY : base64Bytes(this.#options.inbound.count);
  }

  /** Throws when the message exceeds the parsing budget. */
  readonly #charge = (bytes: number): void => {
    this.#chargedBytes += bytes;
    if (this.#parseBudget.take(bytes, this.#readMs)) return;
    const { atOnce, perSecond } = this.#parseLimits;
    const { binaryAudio } = this.#options.wire;
    const allowed = `at most ${atOnce} bytes at once and ${perSecond} a second`;
    throw wireFlood(
      binaryAudio ? "websocket" : "carrier",
      `a message of ${bytes} bytes to parse exceeds the limit: ${allowed}`,
    );
  };

  #onRejected(error: unknown, nowMs: CallMs): PeerEvent | undefined {
    if (!(error instanceof TrunklineError)) throw error;
    const { counters, sendError, log } = this.#options;
    const isFlood = error.code === "wire_flood";
    if (isFlood) counters.flooded += 1;
    else counters.malformed += 1;
    const opusRefusal = opusRefusalOf(error);
    if (opusRefusal !== undefined) counters.opusRefused[opusRefusal] += 1;
    if (!this.#isRejectionLogged)
      log.info({ code: error.code, detail: error.message }, "message from the peer refused");
    this.#isRejectionLogged = true;
    if (isFlood) return FLOOD;
    const closeCode = CLOSE_CODES[error.code];
    if (closeCode !== undefined) return violation(closeCode);
    if (!this.#malformed.allows(nowMs)) return VIOLATION;
    // All other codes end the leg.
    sendError("wire_malformed", error.message);
    return undefined;
  }

  #ignore(what: Extract<WireEvent, { kind: "ignored" }>["what"]): undefined {
    this.#options.counters.ignored += 1;
    if (what !== "unknown_event" || this.#isUnknownTypeReported) return;
    this.#isUnknownTypeReported = true;
    this.#options.sendError("unknown_type", "unknown message type: it is ignored, and so are later ones");
  }

  #onStreamEvent(event: Exclude<WireEvent, { kind: "start" | "ignored" }>, nowMs: CallMs): PeerEvent | undefined {
    const { counters, sendError, log } = this.#options;
    switch (event.kind) {
      case "cleared":
        counters.cleared += 1;
        // The call sent the clear and has already forgotten its marks: without a position the answer says nothing more.
        if (Number.isNaN(event.playedMs)) return undefined;
        if (this.#marks.allows(nowMs)) return event;
        counters.ignored += 1;
        return undefined;
      case "carrier-error":
        counters.carrierErrors += 1;
        if (this.#carrierErrors.allows(nowMs)) log.warn({ code: event.code }, "carrier reported an error");
        return undefined;
      case "mark":
        if (this.#marks.allows(nowMs)) return event;
        counters.ignored += 1;
        return undefined;
      case "text":
        if (this.#texts.allows(nowMs) && this.#typedChars.take(event.text.length, nowMs)) return event;
        counters.ignored += 1;
        sendError("rate_limited", "typed text exceeds the rate limit: this message is ignored");
        return undefined;
      case "finalize":
        if (event.isLast || this.#finals.allows(nowMs)) return event;
        counters.ignored += 1;
        sendError("rate_limited", `more than ${FINALIZE_PER_SECOND_MAX} finalize in a second: this one is ignored`);
        return undefined;
      case "audio":
      case "dtmf":
      case "tool-result":
      case "stop":
      case "keep-alive":
        return event;
    }
  }
}
