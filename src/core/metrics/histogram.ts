/**
 * Upper bounds of the buckets, ms: the latency budgets (2 and 10 ms), and factors of about two from the cost of a frame to delays
 * that every caller hears.
 */
export const TIME_BOUNDS_MS: readonly number[] = [
  0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000,
];

/**
 * A histogram of durations that occur with every frame. Counting takes a few comparisons and allocates nothing. The counts only
 * grow; reading does not reset them.
 */
export class TimeHistogram {
  /** The count of each bucket alone, and last of those above all bounds. Doubles, because 32 bits overflow in half a day. */
  readonly #counts = new Float64Array(TIME_BOUNDS_MS.length + 1);
  /** In an array, because a double in a field would be boxed at each change. */
  readonly #sumMs = new Float64Array(1);

  /** Counts one duration. Negative durations, which rounding of the clock can cause, count as zero. */
  observe(tookMs: number): void {
    let bucket = 0;
    while (bucket < TIME_BOUNDS_MS.length && tookMs > (TIME_BOUNDS_MS[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    if (tookMs > 0) this.#sumMs[0] = (this.#sumMs[0] as number) + tookMs;
  }

  /** The cumulative counts for the bounds of TIME_BOUNDS_MS, and last the total. */
  get cumulativeCounts(): number[] {
    let count = 0;
    return Array.from(this.#counts, (inBucket) => {
      count += inBucket;
      return count;
    });
  }

  get sumMs(): number {
    return this.#sumMs[0] as number;
  }
}
