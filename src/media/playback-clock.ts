import { strict as assert } from "node:assert";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../core/limits/media.ts";

/** The lead is still there when the next tick is due, half a frame late: a stall as long as itself is not heard. */
const TOP_UP_BELOW_MS = OUTPUT_LEAD_MS + 1.5 * FRAME_MS;

/**
 * Models what the far end has played of what we sent: it plays without a pause whatever it has, from the moment it has it.
 *
 * Pure arithmetic on the `nowMs` it is given, which must come from one monotonic clock. The way to the far end takes time
 * that it does not know: what it calls played is at most that much later in the ear.
 */
export class PlaybackClock {
  readonly #rateHz: number;
  /** When the far end runs dry; in the past, it has been dry since. */
  #bufferedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(rateHz: number) {
    assert.ok(rateHz > 0);
    this.#rateHz = rateHz;
  }

  /** Tells that `samples` were sent just now. Returns when the far end will play the first of them, in the same ms as `nowMs`. */
  sent(samples: number, nowMs: number): number {
    assert.ok(samples >= 0);
    const startsMs = Math.max(this.#bufferedUntilMs, nowMs);
    this.#bufferedUntilMs = startsMs + (samples * 1_000) / this.#rateHz;
    return startsMs;
  }

  /** How much of what was sent has not been played yet, in ms; never negative. */
  unplayedMs(nowMs: number): number {
    return Math.max(this.#bufferedUntilMs - nowMs, 0);
  }

  /** Whether the next frame is due: less lies ahead of the far end than should. */
  isFrameDue(nowMs: number): boolean {
    return this.#bufferedUntilMs - nowMs < TOP_UP_BELOW_MS;
  }

  /** Whether all that was sent has been played. */
  isDry(nowMs: number): boolean {
    return this.#bufferedUntilMs <= nowMs;
  }

  /** The far end was told to drop what it has not played. */
  flush(nowMs: number): void {
    this.#bufferedUntilMs = Math.min(this.#bufferedUntilMs, nowMs);
  }
}
