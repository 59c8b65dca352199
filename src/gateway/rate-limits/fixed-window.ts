/** Counts what a peer may do only so often: at most `max` within one second. */
export class FixedWindowLimiter {
  readonly #max: number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Counts one more; false when that is one too many. */
  allows(nowMs: number): boolean {
    if (nowMs - this.#sinceMs >= 1_000) {
      this.#sinceMs = nowMs;
      this.#count = 0;
    }
    this.#count += 1;
    return this.#count <= this.#max;
  }
}
