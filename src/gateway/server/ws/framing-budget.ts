import { elapsedMs, type MonotonicMs, monotonicMs } from "../../../core/clocks.ts";
/**
 * A leaky bucket for what a connection carries in addition to complete messages, pings and pongs: frame heads of
 * fragments, and incomplete messages. It drains by `perSecond` bytes a second. Pure; times in ms of one monotonic
 * clock.
 */
export class FramingBudget {
  readonly #max: number;
  readonly #perSecond: number;
  #level = 0;
  #leakedMs = monotonicMs(0);

  constructor({ max, perSecond }: { max: number; perSecond: number }) {
    this.#max = max;
    this.#perSecond = perSecond;
  }

  /** Bytes were received. Returns whether they are within the budget. */
  received(bytes: number, nowMs: MonotonicMs): boolean {
    const leaked = (elapsedMs(this.#leakedMs, nowMs) * this.#perSecond) / 1_000;
    this.#leakedMs = nowMs;
    this.#level = Math.max(0, this.#level - leaked) + bytes;
    return this.#level <= this.#max;
  }

  /** This many of the received bytes were a complete message, a ping or a pong. */
  completed(bytes: number): void {
    this.#level = Math.max(0, this.#level - bytes);
  }
}
