import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import type { AccountId } from "../../core/ids.ts";
import { CREATION_RATE_ENTRIES_MAX, CREATION_RATE_WINDOW_MS } from "../../core/limits/accounts/accounts.ts";

interface Bucket {
  /** How many creations were counted and have not run out yet, at `atMs`. */
  used: number;
  atMs: MonotonicMs;
}

/**
 * Limits the calls that accounts create by token buckets: a whole minute's creations may come at once, and come back
 * evenly. The buckets are in the memory of this process. An account's limit may change at any time.
 */
export class CreationRates {
  readonly #clock: Pick<Clock, "nowMs">;
  /** The least recently used first. */
  readonly #buckets = new Map<AccountId, Bucket>();

  constructor(clock: Pick<Clock, "nowMs">) {
    this.#clock = clock;
  }

  /** In how many ms an account with this limit may create another call; 0 for now. */
  waitMs(accountId: AccountId, perMinute: number): number {
    const over = this.#used(accountId, perMinute) + 1 - perMinute;
    return over <= ROUNDING ? 0 : (over * CREATION_RATE_WINDOW_MS) / perMinute;
  }

  /** Counts a call that the account creates now. */
  take(accountId: AccountId, perMinute: number): void {
    const used = this.#used(accountId, perMinute) + 1;
    this.#buckets.delete(accountId);
    this.#buckets.set(accountId, { used, atMs: this.#clock.nowMs() });
    const [oldest] = this.#buckets.keys();
    if (this.#buckets.size > CREATION_RATE_ENTRIES_MAX && oldest !== undefined) this.#buckets.delete(oldest);
  }

  /** Takes back what `take` counted, of a call that was not created. */
  giveBack(accountId: AccountId, perMinute: number): void {
    const used = this.#used(accountId, perMinute) - 1;
    if (used > ROUNDING) this.#buckets.set(accountId, { used, atMs: this.#clock.nowMs() });
    else this.#buckets.delete(accountId);
  }

  #used(accountId: AccountId, perMinute: number): number {
    const bucket = this.#buckets.get(accountId);
    if (bucket === undefined) return 0;
    const runOut = (elapsedMs(bucket.atMs, this.#clock.nowMs()) * perMinute) / CREATION_RATE_WINDOW_MS;
    return Math.max(0, bucket.used - runOut);
  }
}

/** Sums of fractions come out a little wrong. */
const ROUNDING = 1e-6;
