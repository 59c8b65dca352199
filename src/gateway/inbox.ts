import type { EndReason } from "../core/call-spec.ts";
import { TrunklineError, wireFlood } from "../core/errors.ts";
import {
  CARRIER_ERRORS_LOGGED_PER_SECOND_MAX,
  CARRIER_MESSAGE_BYTES_MAX,
  MALFORMED_PER_SECOND_MAX,
  MARKS_PER_SECOND_MAX,
  MESSAGES_PER_SECOND_MAX,
  OTHER_MESSAGES_PER_SECOND_MAX,
} from "../core/limits.ts";
import type { Logger } from "../core/log.ts";
import {
  CARRIER_BYTES_AT_ONCE_MAX,
  CARRIER_BYTES_PER_SECOND_MAX,
  TEXT_BYTES_AT_ONCE_MAX,
  TEXT_BYTES_PER_SECOND_MAX,
  TEXTS_PER_SECOND_MAX,
  TYPED_CHARS_AT_ONCE_MAX,
  TYPED_CHARS_PER_SECOND_MAX,
} from "../core/message-limits.ts";
import type { InboundAudio, StreamStarted, Wire, WireEvent } from "../wire/wire.ts";
import { Allowance } from "./allowance.ts";
import type { CallTally } from "./call-tally.ts";
import { CLOSE_TOO_LARGE, CLOSE_WRONG_DATA } from "./close-codes.ts";
import { PerSecond } from "./per-second.ts";

/** What a peer did that concerns its call. */
export type PeerEvent =
  | Exclude<WireEvent, { kind: "ignored" | "carrier-error" }>
  /** The peer broke a rule for which its leg ends; with this close code, where the rule has one of its own. */
  | { kind: "violation"; reason: ViolationReason; closeCode: number | undefined };

type ViolationReason = Extract<EndReason, "protocol_error" | "message_flood">;

export interface InboxOptions {
  wire: Wire;
  /** Where the wire puts what it decodes; shared by all connections of the process. */
  inbound: InboundAudio;
  tally: CallTally;
  /** Says what was wrong with a message, to a peer that can be told. */
  complain: (code: string, message: string) => void;
  log: Logger;
}

const VIOLATION = violation(undefined);
const FLOOD: PeerEvent = { kind: "violation", reason: "message_flood", closeCode: undefined };

const CLOSE_CODES: Readonly<Record<string, number>> = {
  wire_too_large: CLOSE_TOO_LARGE,
  wire_wrong_data: CLOSE_WRONG_DATA,
};

/** What so many bytes of audio take in base64, padded. */
const base64Bytes = (count: number): number => 4 * Math.ceil(count / 3);

function violation(closeCode: number | undefined): PeerEvent {
  return { kind: "violation", reason: "protocol_error", closeCode };
}

/**
 * One leg's mail: reads what the peer sends, bears with what can be borne and counts it, and tells the rest. What comes before
 * the stream has begun is dropped. Times are ms of call time; never throws but for our own bugs.
 */
export class Inbox {
  readonly #options: InboxOptions;
  readonly #malformed = new PerSecond(MALFORMED_PER_SECOND_MAX);
  readonly #messages = new PerSecond(MESSAGES_PER_SECOND_MAX);
  readonly #others = new PerSecond(OTHER_MESSAGES_PER_SECOND_MAX);
  readonly #marks = new PerSecond(MARKS_PER_SECOND_MAX);
  readonly #texts = new PerSecond(TEXTS_PER_SECOND_MAX);
  readonly #typedChars = new Allowance({
    atOnce: TYPED_CHARS_AT_ONCE_MAX,
    perSecond: TYPED_CHARS_PER_SECOND_MAX,
  });
  readonly #errors = new PerSecond(CARRIER_ERRORS_LOGGED_PER_SECOND_MAX);
  /** What the peer may make us parse, in bytes. */
  readonly #parsed: Allowance;
  readonly #parsedLimits: Readonly<ConstructorParameters<typeof Allowance>[0]>;
  /** Of the message that is being read: when it came, and the bytes it was charged. */
  #readMs = 0;
  #chargedBytes = 0;
  #streamId: string | undefined;
  #toldOfUnknown = false;
  #toldWhy = false;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#parsedLimits = options.wire.binaryAudio
      ? { atOnce: TEXT_BYTES_AT_ONCE_MAX, perSecond: TEXT_BYTES_PER_SECOND_MAX }
      : { atOnce: CARRIER_BYTES_AT_ONCE_MAX, perSecond: CARRIER_BYTES_PER_SECOND_MAX };
    this.#parsed = new Allowance(this.#parsedLimits);
  }

  /** The stream has begun: what belongs to it counts from now on. */
  get opened(): boolean {
    return this.#streamId !== undefined;
  }

  /** Reads one message, valid until this returns; undefined when there is nothing to be done about it. */
  read(bytes: Uint8Array, isBinary: boolean, nowMs: number): PeerEvent | undefined {
    const { wire, inbound, tally } = this.#options;
    if (!this.#messages.allows(nowMs)) return VIOLATION;
    if (isBinary && !wire.binaryAudio) return violation(CLOSE_WRONG_DATA);
    if (!isBinary && bytes.length > CARRIER_MESSAGE_BYTES_MAX) return violation(CLOSE_TOO_LARGE);
    this.#readMs = nowMs;
    this.#chargedBytes = 0;
    let event: WireEvent;
    try {
      event = wire.decode(bytes, inbound, isBinary, this.#charge);
      const restBytes = bytes.length - this.#chargedBytes - this.#boundedBytes(event, isBinary);
      if (restBytes > 0) this.#charge(restBytes);
    } catch (error) {
      return this.#onRefused(error, nowMs);
    }
    if (event.kind !== "audio" && !this.#others.allows(nowMs)) return VIOLATION;
    if (event.kind === "start") return this.begin(event);
    if (event.kind === "ignored") return this.#ignore(event.what);
    if (this.#streamId === undefined) {
      // Before its `start` a stream has no identity: what comes early is dropped, and the start deadline runs on.
      tally.early += 1;
      return undefined;
    }
    return this.#onStreamEvent(event, nowMs);
  }

  /** A second `start` of the same stream is noise; one of another stream would be a second call on one token. */
  begin(start: StreamStarted): PeerEvent | undefined {
    if (this.#streamId === undefined) {
      this.#streamId = start.streamId;
      return start;
    }
    if (start.streamId !== this.#streamId) return VIOLATION;
    this.#options.tally.ignored += 1;
    return undefined;
  }

  /**
   * Bytes of the message that are charged to nobody here, for audio is bounded by its duration: that of the caller, once the stream
   * has begun. Of a message that was parsed in full they are those of the audio that it brought, whatever else it calls a payload.
   */
  #boundedBytes(event: WireEvent, isBinary: boolean): number {
    if (event.kind !== "audio") return 0;
    if (isBinary) return Number.POSITIVE_INFINITY;
    if (this.#streamId === undefined) return 0;
    // A fast reader charges nothing: it knows every byte of the message.
    return this.#chargedBytes === 0 ? Number.POSITIVE_INFINITY : base64Bytes(this.#options.inbound.count);
  }

  /** Throws where the message is more than the peer may make us parse. */
  readonly #charge = (bytes: number): void => {
    this.#chargedBytes += bytes;
    if (this.#parsed.takes(bytes, this.#readMs)) return;
    const { atOnce, perSecond } = this.#parsedLimits;
    const { binaryAudio } = this.#options.wire;
    const allowed = `at most ${atOnce} bytes at once and ${perSecond} a second`;
    throw wireFlood(binaryAudio ? "websocket" : "carrier", `a message of ${bytes} bytes to parse, beyond ${allowed}`);
  };

  #onRefused(error: unknown, nowMs: number): PeerEvent | undefined {
    if (!(error instanceof TrunklineError)) throw error;
    const { tally, complain, log } = this.#options;
    const isFlood = error.code === "wire_flood";
    if (isFlood) tally.flooded += 1;
    else tally.malformed += 1;
    if (!this.#toldWhy) log.info({ code: error.code, why: error.message }, "a message of the peer was refused");
    this.#toldWhy = true;
    if (isFlood) return FLOOD;
    const closeCode = CLOSE_CODES[error.code];
    if (closeCode !== undefined) return violation(closeCode);
    if (!this.#malformed.allows(nowMs)) return VIOLATION;
    complain(error.code, error.message);
    return undefined;
  }

  #ignore(what: Extract<WireEvent, { kind: "ignored" }>["what"]): undefined {
    this.#options.tally.ignored += 1;
    if (what !== "unknown_event" || this.#toldOfUnknown) return;
    this.#toldOfUnknown = true;
    this.#options.complain("unknown_type", "a message of this type is not known, and ignored; so will others be");
  }

  #onStreamEvent(event: Exclude<WireEvent, { kind: "start" | "ignored" }>, nowMs: number): PeerEvent | undefined {
    const { tally, complain, log } = this.#options;
    switch (event.kind) {
      case "cleared":
        tally.cleared += 1;
        // The call asked for it and has forgotten its marks already: there is nothing else to learn from it.
        if (Number.isNaN(event.playedMs)) return undefined;
        if (this.#marks.allows(nowMs)) return event;
        tally.ignored += 1;
        return undefined;
      case "carrier-error":
        tally.carrierErrors += 1;
        if (this.#errors.allows(nowMs)) log.warn({ code: event.code }, "carrier reported an error");
        return undefined;
      case "mark":
        if (this.#marks.allows(nowMs)) return event;
        tally.ignored += 1;
        return undefined;
      case "text":
        if (this.#texts.allows(nowMs) && this.#typedChars.takes(event.text.length, nowMs)) return event;
        tally.ignored += 1;
        complain("rate_limited", "more text than anybody types: this one is ignored");
        return undefined;
      case "audio":
      case "dtmf":
      case "tool-result":
      case "stop":
        return event;
    }
  }
}
