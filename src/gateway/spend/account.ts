import {
  type AccountOverLimit,
  type AccountSpend,
  exceededUnit,
  SPEND_UNITS,
  type Spend,
  type SpendUnit,
  SpendWindow,
} from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";

interface Account {
  window: SpendWindow;
  /** The sums that were last sent to the control process. */
  lastSent: Spend | undefined;
}

export interface AccountSpendsOptions {
  limits: Spend;
  clock: Pick<Clock, "nowMs">;
}

/**
 * What the accounts of one worker's calls have spent within the last minute, and which of them exceed a limit over all
 * workers, as last reported by the control process. Holds the accounts that have spent something within the last
 * minute.
 */
export class AccountSpends {
  readonly #limits: Spend;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #accounts = new Map<string, Account>();
  #exceeded: ReadonlyMap<string, SpendUnit> = new Map();

  constructor({ limits, clock }: AccountSpendsOptions) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The limit that prevents the account from spending `requested` now; undefined where it may. */
  refusal(accountId: string, requested: Partial<Spend>): SpendUnit | undefined {
    const exceeded = this.#exceeded.get(accountId);
    if (exceeded !== undefined && requested[exceeded] !== undefined) return exceeded;
    const spent = this.#accounts.get(accountId)?.window.sums(this.#clock.nowMs());
    return spent && exceededUnit(spent, requested, this.#limits);
  }

  add(accountId: string, amounts: Partial<Spend>): void {
    const account = this.#accounts.get(accountId) ?? { window: new SpendWindow(), lastSent: undefined };
    this.#accounts.set(accountId, account);
    account.window.add(amounts, this.#clock.nowMs());
  }

  /** Gives back a part of what was added `agoMs` ago. */
  refund(accountId: string, amounts: Partial<Spend>, agoMs: number): void {
    const nowMs = this.#clock.nowMs();
    this.#accounts.get(accountId)?.window.refund(amounts, addMs(nowMs, -agoMs), nowMs);
  }

  /** The sums of accounts that changed since they were last taken; of `all` accounts for a new control process. */
  takeChanged(all = false): AccountSpend[] {
    const nowMs = this.#clock.nowMs();
    const changed: AccountSpend[] = [];
    for (const [accountId, account] of this.#accounts) {
      const spend = { ...account.window.sums(nowMs) };
      const { lastSent } = account;
      if (SPEND_UNITS.every((unit) => spend[unit] === 0)) this.#accounts.delete(accountId);
      if (!all && lastSent !== undefined && SPEND_UNITS.every((unit) => spend[unit] === lastSent[unit])) continue;
      account.lastSent = spend;
      changed.push({ accountId, spend });
    }
    return changed;
  }

  /** The control process reports which accounts exceed a limit; all others do not. */
  setExceeded(accounts: readonly AccountOverLimit[]): void {
    this.#exceeded = new Map(accounts.map(({ accountId, limit }) => [accountId, limit]));
  }
}
