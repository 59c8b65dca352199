/** A fixed-window limiter: allows at most `max` within one second. */
export class FixedWindowLimiter {
  readonly #max: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more; false when it exceeds the limit. */
  allows(nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= 1_000) {
      this.#sinceMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#max;
  }
}
