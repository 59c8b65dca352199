/**
 * What a connection carries beside whole messages, pings and pongs, as a leaky bucket: the heads of fragments, and messages that are not
 * complete. It empties by `perSecond` bytes a second. Pure; times in ms of one monotonic clock.
 */
export class FramingBudget {
  readonly #max: number;
  readonly #perSecond: number;
  #level = 0;
  #leakedMs = 0;

  constructor({ max, perSecond }: { max: number; perSecond: number }) {
    this.#max = max;
    this.#perSecond = perSecond;
  }

  /** Bytes came from the peer. Whether they fit. */
  received(bytes: number, nowMs: number): boolean {
    const leaked = ((nowMs - this.#leakedMs) * this.#perSecond) / 1_000;
    this.#leakedMs = nowMs;
    this.#level = Math.max(0, this.#level - leaked) + bytes;
    return this.#level <= this.#max;
  }

  /** So many of the bytes that came were a whole message, a ping or a pong. */
  completed(bytes: number): void {
    this.#level = Math.max(0, this.#level - bytes);
  }
}
