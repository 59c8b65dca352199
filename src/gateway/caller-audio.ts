import { FRAME_MS } from "../core/limits.ts";
import { Framer, type FramerInput } from "../media/framer.ts";
import { G711_LAWS, type G711Codec } from "../media/g711.ts";
import { Reorder } from "../media/reorder.ts";
import type { InboundAudio, Wire } from "../wire/wire.ts";
import { Backlog } from "./backlog.ts";
import type { CallTally } from "./call-tally.ts";
import { Ingest } from "./ingest.ts";

/** A frame of the caller's audio: all of it is lent until the function that was given it returns. */
export interface CallerFrame {
  readonly samples: Int16Array;
  /** The same in the codec that came. */
  readonly bytes: Uint8Array;
  /** Its place on the carrier's media timeline, ms. */
  readonly mediaMs: number;
}

export interface CallerAudioOptions {
  wire: Pick<Wire, "rateHz" | "reorders" | "datesAudio">;
  /** What the carrier sends. */
  codec: G711Codec;
  /** When its stream began. */
  startMs: number;
  tally: CallTally;
  /** Takes each frame; `silenceFrames` of silence stand in front of it that were not sent, and that the ear must hear. */
  onFrame: (frame: CallerFrame, silenceFrames: number, nowMs: number) => void;
}

/**
 * The way of the caller's audio from the wire to the bus: what is too old is dropped, what may come out of order is put in
 * order, and all of it is cut into frames. Times are ms of call time. Allocates nothing a message.
 */
export class CallerAudio {
  readonly #framer: Framer;
  readonly #ingest: Ingest;
  readonly #order: Reorder | undefined;
  readonly #backlog: Backlog | undefined;
  readonly #tally: CallTally;
  readonly #onFrame: CallerAudioOptions["onFrame"];

  constructor({ wire, codec, startMs, tally, onFrame }: CallerAudioOptions) {
    const { rateHz } = wire;
    const law = G711_LAWS[codec];
    this.#framer = new Framer({ frameSamples: (rateHz / 1_000) * FRAME_MS, rateHz, law, startMs });
    this.#ingest = new Ingest(startMs);
    this.#order = wire.reorders ? new Reorder({ law, rateHz }) : undefined;
    this.#backlog = wire.datesAudio ? new Backlog() : undefined;
    this.#tally = tally;
    this.#onFrame = onFrame;
  }

  /** More audio came than the call has had time for. */
  get flooded(): boolean {
    return this.#ingest.flooded;
  }

  /** Takes what a message brought; it is read before this returns. */
  push(audio: InboundAudio, nowMs: number): void {
    if (this.#backlog?.isStale(audio.timestampMs, nowMs) === true) {
      this.#tally.staleAudio += 1;
      return;
    }
    if (this.#order === undefined) {
      this.#cut(audio, nowMs);
      return;
    }
    const verdict = this.#order.push(audio, nowMs);
    if (verdict === "late") this.#tally.lateAudio += 1;
    else if (verdict === "duplicate") this.#tally.duplicateAudio += 1;
    this.release(nowMs, nowMs);
  }

  /** Gives up waiting for what should have come by `untilMs`; with Infinity nothing waits any longer. */
  release(untilMs: number, nowMs: number): void {
    if (this.#order === undefined) return;
    for (let audio = this.#order.next(untilMs); audio !== undefined; audio = this.#order.next(untilMs)) {
      this.#cut(audio, nowMs);
    }
  }

  /** Frames of silence that the ear must hear now because the carrier sends nothing; said once for each pause. */
  silenceDue(nowMs: number): number {
    return this.#ingest.silenceDue(nowMs);
  }

  #cut(audio: FramerInput, nowMs: number): void {
    const framer = this.#framer;
    framer.push(audio, nowMs);
    while (framer.next()) this.#onFrame(framer, this.#ingest.frame(framer.mediaMs, nowMs), nowMs);
  }
}
