import { type Instant, millisecondsOf } from "../../core/clocks.ts";

/** A fixed-window limiter: allows at most `max` within one second of the clock `Time`. */
export class FixedWindowLimiter<Time extends Instant> {
  readonly #max: number;
  /** On the clock `Time`. A number, because no instant of every clock is before all others. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more; false when it exceeds the limit. */
  allows(nowMs: Time): boolean {
    const atMs = millisecondsOf(nowMs);
    if (atMs - this.#sinceMs >= 1_000) {
      this.#sinceMs = atMs;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#max;
  }
}
