/** Meters what a peer may do much of at once, but not for long: `atOnce`, and what was taken of it comes back at `perSecond`. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #asOfMs = 0;

  constructor({ atOnce, perSecond }: { atOnce: number; perSecond: number }) {
    this.#burst = atOnce;
    this.#perSecond = perSecond;
    this.#tokens = atOnce;
  }

  /** Takes so much of it; false, and nothing is taken, when that is more than there is. */
  take(amount: number, nowMs: number): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + ((nowMs - this.#asOfMs) * this.#perSecond) / 1_000);
    this.#asOfMs = nowMs;
    if (amount > this.#tokens) return false;
    this.#tokens -= amount;
    return true;
  }
}
