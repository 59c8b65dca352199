import type { Clock } from "../core/clock.ts";
import {
  type AccountOver,
  type AccountSpend,
  exceeded,
  SPEND_UNITS,
  type Spend,
  type SpendUnit,
  SpendWindow,
} from "../core/spend.ts";

interface Account {
  window: SpendWindow;
  /** The sums that the control process was sent last. */
  sent: Spend | undefined;
}

export interface AccountSpendsOptions {
  limits: Spend;
  clock: Pick<Clock, "nowMs">;
}

/**
 * What the accounts of one worker's calls have spent within the last minute, and which of them have reached a limit in all workers
 * together, as the control process has last said. Holds the accounts that have spent something within the last minute.
 */
export class AccountSpends {
  readonly #limits: Spend;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #accounts = new Map<string, Account>();
  #over: ReadonlyMap<string, SpendUnit> = new Map();

  constructor({ limits, clock }: AccountSpendsOptions) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** The limit because of which the account may not spend `asked` now; undefined where it may. */
  refusal(accountId: string, asked: Partial<Spend>): SpendUnit | undefined {
    const over = this.#over.get(accountId);
    if (over !== undefined && asked[over] !== undefined) return over;
    const spent = this.#accounts.get(accountId)?.window.sums(this.#clock.nowMs());
    return spent && exceeded(spent, asked, this.#limits);
  }

  add(accountId: string, amounts: Partial<Spend>): void {
    const account = this.#accounts.get(accountId) ?? { window: new SpendWindow(), sent: undefined };
    this.#accounts.set(accountId, account);
    account.window.add(amounts, this.#clock.nowMs());
  }

  /** Takes back of what was added `agoMs` ago. */
  takeBack(accountId: string, amounts: Partial<Spend>, agoMs: number): void {
    const nowMs = this.#clock.nowMs();
    this.#accounts.get(accountId)?.window.takeBack(amounts, nowMs - agoMs, nowMs);
  }

  /** The sums of the accounts whose sums differ from those that were taken last; of `all` accounts for a control process that is new. */
  take(all = false): AccountSpend[] {
    const nowMs = this.#clock.nowMs();
    const changed: AccountSpend[] = [];
    for (const [accountId, account] of this.#accounts) {
      const spend = { ...account.window.sums(nowMs) };
      const { sent } = account;
      if (SPEND_UNITS.every((unit) => spend[unit] === 0)) this.#accounts.delete(accountId);
      if (!all && sent !== undefined && SPEND_UNITS.every((unit) => spend[unit] === sent[unit])) continue;
      account.sent = spend;
      changed.push({ accountId, spend });
    }
    return changed;
  }

  /** The control process says which accounts have reached a limit; all others have not. */
  over(accounts: readonly AccountOver[]): void {
    this.#over = new Map(accounts.map(({ accountId, limit }) => [accountId, limit]));
  }
}
