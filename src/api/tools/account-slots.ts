import type { AccountId } from "../../core/ids.ts";
import { ApiError } from "../http/errors.ts";

export interface AccountSlotsOptions {
  /** What each runs, in the plural. */
  what: string;
  perAccountMax: number;
  max: number;
}

/** Bounds requests to the servers of accounts: how many run at a time, of one account and of all. */
export class AccountSlots {
  readonly #options: AccountSlotsOptions;
  readonly #running = new Map<AccountId, number>();
  #runningCount = 0;

  constructor(options: AccountSlotsOptions) {
    this.#options = options;
  }

  /** Runs `work` at once. Throws ApiError instead: 429 where the account runs too many, 503 where all together do. */
  async run<T>(accountId: AccountId, work: () => Promise<T>): Promise<T> {
    const { what, perAccountMax, max } = this.#options;
    const running = this.#running.get(accountId) ?? 0;
    if (running >= perAccountMax) {
      throw new ApiError("rate_limited", `at most ${perAccountMax} ${what} run at a time for one account`);
    }
    if (this.#runningCount >= max) throw new ApiError("unavailable", `too many ${what} are running`);
    this.#running.set(accountId, running + 1);
    this.#runningCount += 1;
    try {
      return await work();
    } finally {
      this.#runningCount -= 1;
      const left = (this.#running.get(accountId) ?? 1) - 1;
      if (left === 0) this.#running.delete(accountId);
      else this.#running.set(accountId, left);
    }
  }
}
