/**
 * Upper bounds of the buckets, ms: what the budgets speak of (2 and 10 ms), and steps of about two from what a frame costs to what
 * everybody hears.
 */
export const TIME_BOUNDS_MS: readonly number[] = [
  0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000,
];

/**
 * Times of what happens with every frame, counted by how long they are: a few comparisons each, and nothing is allocated. It
 * only grows; whoever wants to know reads it, and it goes on counting.
 */
export class TimeHistogram {
  /** How many times there were of each bucket alone, and last those beyond every bound. Doubles: 32 bits are full in half a day. */
  readonly #counts = new Float64Array(TIME_BOUNDS_MS.length + 1);
  /** In an array, because a number in a field would be boxed anew with each change. */
  readonly #sumMs = new Float64Array(1);

  /** Counts one more. Below zero, as by the ends of a clock's fractions, is zero. */
  observe(tookMs: number): void {
    let bucket = 0;
    while (bucket < TIME_BOUNDS_MS.length && tookMs > (TIME_BOUNDS_MS[bucket] as number)) bucket += 1;
    this.#counts[bucket] = (this.#counts[bucket] as number) + 1;
    if (tookMs > 0) this.#sumMs[0] = (this.#sumMs[0] as number) + tookMs;
  }

  /** How many there were up to each bound, as TIME_BOUNDS_MS has them, and last all. */
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
