/** Meters what a peer may do much of at once, but not for long: `atOnce`, and what was taken of it comes back at `perSecond`. */
export class Allowance {
  readonly #atOnce: number;
  readonly #perSecond: number;
  #left: number;
  #asOfMs = 0;

  constructor({ atOnce, perSecond }: { atOnce: number; perSecond: number }) {
    this.#atOnce = atOnce;
    this.#perSecond = perSecond;
    this.#left = atOnce;
  }

  /** Takes so much of it; false, and nothing is taken, when that is more than there is. */
  takes(amount: number, nowMs: number): boolean {
    this.#left = Math.min(this.#atOnce, this.#left + ((nowMs - this.#asOfMs) * this.#perSecond) / 1_000);
    this.#asOfMs = nowMs;
    if (amount > this.#left) return false;
    this.#left -= amount;
    return true;
  }
}
