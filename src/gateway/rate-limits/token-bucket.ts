import { type CallMs, callMs, elapsedMs } from "../../core/clocks.ts";
/** A token bucket: allows a burst of `atOnce`, and refills at `perSecond`. */
export class TokenBucket {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  #asOfMs = callMs(0);

  constructor({ atOnce, perSecond }: { atOnce: number; perSecond: number }) {
    this.#burst = atOnce;
    this.#perSecond = perSecond;
    this.#tokens = atOnce;
  }

  /** Takes an amount; false, and takes nothing, when there are not enough tokens. */
  take(amount: number, nowMs: CallMs): boolean {
    this.#tokens = Math.min(this.#burst, this.#tokens + (elapsedMs(this.#asOfMs, nowMs) * this.#perSecond) / 1_000);
    this.#asOfMs = nowMs;
    if (amount > this.#tokens) return false;
    this.#tokens -= amount;
    return true;
  }
}
