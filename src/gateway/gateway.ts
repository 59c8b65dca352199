import { createHash } from "node:crypto";
import { DEFAULT_TURN_PARAMETERS } from "../call/parameters.ts";
import type { ModelName } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import { CARRIER_MESSAGE_BYTES_MAX, TOKEN_CHARS } from "../core/limits.ts";
import type { Logger } from "../core/log.ts";
import type { ResamplerFactory } from "../media/resampler.ts";
import type { VadFactory } from "../media/vad.ts";
import type { Llm, Stt, Tts } from "../speech/speech.ts";
import type { HandOff, RedeemedCall } from "../store/hand-off.ts";
import { createCarrierA } from "../wire/carrier-a.ts";
import type { InboundAudio, Wire } from "../wire/wire.ts";
import { closeCodeOf } from "./close-codes.ts";
import { Connection, type LegSocket } from "./connection.ts";
import type { JournalWriters } from "./journal-writer.ts";
import type { Admission, Leg } from "./server.ts";
import { Ticker } from "./ticker.ts";

export interface GatewayOptions {
  handOff: HandOff;
  engines: { stt: Stt | undefined; tts: Tts; llm: Readonly<Record<ModelName, Llm>> };
  makeVad: VadFactory;
  makeResampler: ResamplerFactory;
  journals: JournalWriters;
  clock: Clock;
  log: Logger;
  callsMax: number;
}

const TOKEN_PATTERN = new RegExp(`^[A-Za-z0-9_-]{${TOKEN_CHARS}}$`);
const REFUSED: Admission = { kind: "refused", status: 401 };
const BUSY: Admission = { kind: "refused", status: 503 };

/** The media plane of one process: redeems tokens and keeps the calls that came of them. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #calls = new Map<string, Connection>();
  readonly #ticker: Ticker;
  readonly #inbound: InboundAudio;
  /** Places taken by tokens that are being redeemed, and by handshakes that are not over. */
  #admitting = 0;
  #draining = false;
  /** The drain's deadline has passed: what comes late ends at once. */
  #ending = false;
  #onEmpty: (() => void) | undefined;

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#ticker = new Ticker(options.clock);
    this.#inbound = {
      bytes: new Uint8Array(CARRIER_MESSAGE_BYTES_MAX),
      samples: new Int16Array(CARRIER_MESSAGE_BYTES_MAX),
      count: 0,
      timestampMs: Number.NaN,
    };
  }

  /** The ids of the calls that live here. */
  callIds(): string[] {
    return [...this.#calls.keys()];
  }

  /**
   * Exchanges a token for a place. Refusals of unknown, used, expired and malformed tokens are one and the same. Whoever is
   * admitted must open its leg, also when its peer has gone meanwhile.
   */
  async admit(token: string): Promise<Admission> {
    if (!TOKEN_PATTERN.test(token)) return REFUSED;
    if (this.#draining || this.#calls.size + this.#admitting >= this.#options.callsMax) return BUSY;
    this.#admitting += 1;
    try {
      const redeemed = await this.#options.handOff.redeem(createHash("sha256").update(token).digest("hex"));
      if (redeemed !== undefined) return { kind: "admitted", open: (socket) => this.#open(redeemed, socket) };
      this.#admissionOver();
      return REFUSED;
    } catch (error) {
      this.#admissionOver();
      this.#options.log.warn({ code: codeOf(error) }, "a token could not be redeemed");
      return BUSY;
    }
  }

  #admissionOver(): void {
    this.#admitting -= 1;
    this.#checkEmpty();
  }

  #checkEmpty(): void {
    if (this.#calls.size + this.#admitting === 0) this.#onEmpty?.();
  }

  /** Takes no more calls; resolves when the last one is over. */
  drain(): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      this.#onEmpty = resolve;
      this.#checkEmpty();
    });
  }

  /** Ends every call that still lives, and those whose handshakes are not over yet. */
  endAll(): void {
    this.#ending = true;
    for (const connection of [...this.#calls.values()]) connection.end("drain_timeout");
  }

  /** A call whose token is spent must end in a record, even where it could not begin. */
  #open(redeemed: RedeemedCall, socket: LegSocket): Leg {
    try {
      const connection = this.#begin(redeemed, socket);
      if (this.#ending) connection.end("drain_timeout");
      return connection;
    } catch (error) {
      const { callId } = redeemed;
      this.#options.log.error({ err: error, code: codeOf(error), callId }, "a call could not be begun");
      this.#options.handOff.ended(callId);
      socket.end(closeCodeOf("worker_lost"), "worker_lost");
      return { message: () => {}, closed: () => {} };
    } finally {
      this.#admissionOver();
    }
  }

  #begin(redeemed: RedeemedCall, socket: LegSocket): Connection {
    const { callId, spec } = redeemed;
    const { engines, journals, clock, makeVad, makeResampler } = this.#options;
    const log = this.#options.log.child({ callId });
    const wire = createWire(redeemed);
    // The only one that can fail comes first: what is made after it would stay behind.
    const vad = makeVad(wire.rateHz);
    const earHasPartials = engines.stt?.capabilities.partials ?? false;
    const parameters = DEFAULT_TURN_PARAMETERS;
    const journal = journals.open({
      ...redeemed,
      startedAt: new Date(clock.epochMs()).toISOString(),
      leg: { rateHz: wire.rateHz, codec: "mulaw" },
      earHasPartials,
      parameters,
    });
    const connection = new Connection({
      redeemed,
      socket,
      wire,
      inbound: this.#inbound,
      vad,
      makeResampler,
      stt: engines.stt,
      llm: engines.llm[spec.model],
      tts: engines.tts,
      parameters,
      journal,
      clock,
      log,
      onDone: () => this.#onDone(callId, stopTicking),
    });
    const stopTicking = this.#ticker.add(connection);
    this.#calls.set(callId, connection);
    log.info("call started");
    return connection;
  }

  #onDone(callId: string, stopTicking: () => void): void {
    stopTicking();
    this.#calls.delete(callId);
    this.#options.handOff.ended(callId);
    this.#checkEmpty();
  }
}

/** Only calls of a wire that exists are ever created. */
function createWire({ spec }: RedeemedCall): Wire {
  if (spec.connectionType !== "carrier_a") throw new Error(`no wire for ${spec.connectionType}`);
  return createCarrierA();
}
