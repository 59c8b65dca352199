import { type CallMs, type Instant, millisecondsOf } from "../../core/clocks.ts";

/** A token bucket: allows a burst of `atOnce`, and refills at `perSecond` of the clock `Time`. */
export class TokenBucket<Time extends Instant = CallMs> {
  readonly #burst: number;
  readonly #perSecond: number;
  #tokens: number;
  /** On the clock `Time`. A number, because no instant belongs to every clock. */
  #asOfMs = 0;

  constructor({ atOnce, perSecond }: { atOnce: number; perSecond: number }) {
    this.#burst = atOnce;
    this.#perSecond = perSecond;
    this.#tokens = atOnce;
  }

  /** Takes an amount; false, and takes nothing, when there are not enough tokens. */
  take(amount: number, nowMs: Time): boolean {
    const atMs = millisecondsOf(nowMs);
    this.#tokens = Math.min(this.#burst, this.#tokens + ((atMs - this.#asOfMs) * this.#perSecond) / 1_000);
    this.#asOfMs = atMs;
    if (amount > this.#tokens) return false;
    this.#tokens -= amount;
    return true;
  }
}
