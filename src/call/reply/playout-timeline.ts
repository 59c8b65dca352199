import { addMs, type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";

/** A smaller difference is a change of the estimated lag, and no gap. */
const GAP_MS_MIN = 40;
/** Gaps of one reply that are remembered: those of pauses, and of a TTS that does not keep up. */
const STRETCHES_MAX = 64;

/** Audio that is played without a gap, from sample `fromSample` of the reply on. */
interface Stretch {
  readonly fromSample: number;
  readonly startMs: CallMs;
}

/** When each sample of one reply is played, by the playback clock. Samples are counted at `rateHz`. */
export class PlayoutTimeline {
  readonly #rateHz: number;
  readonly #stretches: Stretch[] = [];
  #sentSamples = 0;
  /** Where the audio sent so far ends, if it is played without a gap. */
  #endMs = callMs(Number.NEGATIVE_INFINITY);
  #flushedMs = callMs(Number.POSITIVE_INFINITY);

  constructor(rateHz: number) {
    this.#rateHz = rateHz;
  }

  /** A frame of `samples` samples was sent, and will be played from `startMs` on. Called on every frame. */
  sent(samples: number, startMs: CallMs): void {
    if (!(Math.abs(elapsedMs(this.#endMs, startMs)) < GAP_MS_MIN)) this.#begin(startMs);
    this.#sentSamples += samples;
    this.#endMs = addMs(this.#endMs, (samples * 1_000) / this.#rateHz);
  }

  /** What is not played by `atMs` never will be. */
  flushed(atMs: CallMs): void {
    this.#flushedMs = atMs;
  }

  /** What follows the first `samples` samples was not played, and is sent again. */
  rewind(samples: number): void {
    while ((this.#stretches.at(-1)?.fromSample ?? 0) >= samples && this.#stretches.length > 0) this.#stretches.pop();
    this.#sentSamples = samples;
    this.#endMs = callMs(Number.NEGATIVE_INFINITY);
  }

  /** When `sample` is played; NaN where it was not sent, or was flushed, or the reply has had too many gaps since. */
  timeMs(sample: number): CallMs {
    const stretch = this.#stretches.findLast(({ fromSample }) => fromSample <= sample);
    if (stretch === undefined || sample >= this.#sentSamples) return callMs(Number.NaN);
    const atMs = addMs(stretch.startMs, ((sample - stretch.fromSample) * 1_000) / this.#rateHz);
    return atMs < this.#flushedMs ? atMs : callMs(Number.NaN);
  }

  #begin(startMs: CallMs): void {
    this.#stretches.push({ fromSample: this.#sentSamples, startMs });
    if (this.#stretches.length > STRETCHES_MAX) this.#stretches.shift();
    this.#endMs = startMs;
  }
}
