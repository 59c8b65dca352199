import type { EndReason } from "../../core/calls/reasons.ts";
import type { Clock } from "../../core/clock.ts";
import type { TimeHistogram } from "../../core/metrics/histogram.ts";
import { busRateHz } from "../../media/bus-rate.ts";
import type { VoiceActivityDetection } from "../../media/voice-activity/detector.ts";
import type { JournaledLeg } from "../../record/journal/records.ts";
import type { ClientMessage, InboundAudio, Wire } from "../../wire/wire.ts";
import type { Ticker } from "../event-loop/ticker.ts";
import { type CallSession, legFormatOf } from "../session.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import type { AttachmentParts } from "./attachment.ts";
import { makeVadFor } from "./make-vad.ts";
import { TimedLeg } from "./timed-leg.ts";

/** What the legs of all calls of a process share. */
export interface LegResources {
  voiceActivity: Pick<VoiceActivityDetection, "open">;
  /** The decode buffer. */
  inbound: InboundAudio;
  ticker: Pick<Ticker, "catchUp">;
  clock: Clock;
  addedLatencyIn: TimeHistogram;
}

/** Makes legs of the sockets by which the peer of one call connects: the first one, and those that resume the call. */
export interface CallSockets {
  /** The format of every leg. */
  readonly format: JournaledLeg;
  /**
   * Attaches the socket to its call; the result gets its messages. The first time it cannot fail; later it may throw
   * `unavailable`, and then the call is as before.
   */
  connect(session: CallSession, transport: Transport): TransportListener;
  /** The call is over: closes a socket that no leg has closed. */
  ended(reason: EndReason): void;
}

/** What a leg is made of besides its transport. */
export type LegParts = Omit<AttachmentParts, "transport">;

/** Throws `unavailable` when there is no memory for a VAD; then the wire is closed. */
export const legParts = (wire: Wire, { voiceActivity, inbound }: LegResources): LegParts => ({
  wire,
  vad: makeVadFor(wire, () => voiceActivity.open(busRateHz(wire.inboundRateHz))),
  inbound,
});

/** The listener that measures how long a leg takes for its messages. */
export const timed = (leg: TransportListener, session: CallSession, resources: LegResources): TimedLeg =>
  new TimedLeg({ leg, counters: session.read().counts, ...resources });

export interface AudioSocketsOptions {
  resources: LegResources;
  /** Throws `unavailable` when there is no memory for a codec. */
  createWire: () => Wire;
  /** The first message on each socket, where the wire has one. */
  ready: () => Extract<ClientMessage, { kind: "ready" }>;
}

/** Sockets that carry audio from the beginning: of carriers and of the raw protocol. */
export class AudioSockets implements CallSockets {
  readonly format: JournaledLeg;
  readonly #options: AudioSocketsOptions;
  /** Those of the first socket. */
  #parts: LegParts | undefined;

  /** Throws `unavailable` when there is no memory for a codec or a VAD. */
  constructor(options: AudioSocketsOptions) {
    this.#options = options;
    this.#parts = this.#newParts();
    this.format = legFormatOf(this.#parts.wire);
  }

  connect(session: CallSession, transport: Transport): TransportListener {
    const parts = this.#parts ?? this.#newParts();
    this.#parts = undefined;
    const attachment = session.attach({ ...parts, transport });
    const leg = timed(attachment, session, this.#options.resources);
    attachment.begin({ ...this.#options.ready(), audioMs: session.audioMs });
    return leg;
  }

  /** The leg has closed its socket. */
  ended(): void {}

  #newParts(): LegParts {
    const { createWire, resources } = this.#options;
    return legParts(createWire(), resources);
  }
}
