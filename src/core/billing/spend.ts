import { type MonotonicMs, millisecondsOf } from "../clocks.ts";
import { TrunklineError } from "../errors.ts";
import type { AccountId } from "../ids.ts";
import { SPEND_WINDOW_S } from "../limits/accounts/spend.ts";

/** The units that are limited per minute, for a call and for an account. The names are public. */
export const SPEND_UNITS = ["llm_requests", "input_tokens", "output_tokens", "tts_characters"] as const;
export type SpendUnit = (typeof SPEND_UNITS)[number];

/** An amount of each unit; a limit of `Infinity` is no limit. */
export type Spend = Readonly<Record<SpendUnit, number>>;

/** The limits: one per unit and minute, and `maxCost` of the call. */
export const SPEND_LIMITS = [...SPEND_UNITS, "cost"] as const;
export type SpendLimit = (typeof SPEND_LIMITS)[number];

/** Whether it is a limit of the call or of the account. */
export const SPEND_SCOPES = ["call", "account"] as const;
export type SpendScope = (typeof SPEND_SCOPES)[number];

/** What happens when a limit is reached: the agent says so, and the call ends or continues without the reply. */
export const SPEND_ACTIONS = ["end", "refuse"] as const;
export type SpendAction = (typeof SPEND_ACTIONS)[number];

/** The configured limits. */
export interface SpendSettings {
  call: Spend;
  account: Spend;
  action: SpendAction;
}

/** An account's spend within the last minute in one worker. */
export interface AccountSpend {
  accountId: AccountId;
  spend: Spend;
}

/** An account that has reached a limit. */
export interface AccountOverLimit {
  accountId: AccountId;
  limit: SpendUnit;
}

/** Why a request was not sent to a provider; the `cause` of the error. */
export interface SpendRefusal {
  scope: SpendScope;
  limit: SpendLimit;
}

/** A request was not sent to a provider because it would exceed a spend limit of the call or its account. */
export const spendLimited = (refusal: SpendRefusal): TrunklineError =>
  new TrunklineError("spend_limit", "caller", `the ${refusal.scope} has reached its limit of ${refusal.limit}`, {
    cause: refusal,
  });

/** The refusal by a spend limit in `error`; undefined for other errors. */
export const spendRefusalOf = (error: unknown): SpendRefusal | undefined =>
  error instanceof TrunklineError && error.code === "spend_limit" ? (error.cause as SpendRefusal) : undefined;

const zeroSpend = (): Record<SpendUnit, number> => ({
  llm_requests: 0,
  input_tokens: 0,
  output_tokens: 0,
  tts_characters: 0,
});

/**
 * The spend within the last SPEND_WINDOW_S, with a resolution of one second; amounts are never dropped early. It holds at most one
 * entry per second. Times are ms of any monotonic clock.
 */
export class SpendWindow {
  readonly #seconds: { second: number; spend: Record<SpendUnit, number> }[] = [];
  readonly #sums = zeroSpend();

  /** Counts these amounts from now on. */
  add(amounts: Partial<Spend>, nowMs: MonotonicMs): void {
    this.#forget(nowMs);
    const second = Math.floor(millisecondsOf(nowMs) / 1_000);
    let entry = this.#seconds.at(-1);
    if (entry?.second !== second) {
      entry = { second, spend: zeroSpend() };
      this.#seconds.push(entry);
    }
    for (const unit of SPEND_UNITS) {
      entry.spend[unit] += amounts[unit] ?? 0;
      this.#sums[unit] += amounts[unit] ?? 0;
    }
  }

  /** Subtracts from the amounts that were added at `addedMs`, unless they are already out of the window. */
  refund(amounts: Partial<Spend>, addedMs: MonotonicMs, nowMs: MonotonicMs): void {
    this.#forget(nowMs);
    const second = Math.floor(millisecondsOf(addedMs) / 1_000);
    const entry = this.#seconds.find((one) => one.second === second);
    if (entry === undefined) return;
    for (const unit of SPEND_UNITS) {
      entry.spend[unit] -= amounts[unit] ?? 0;
      this.#sums[unit] -= amounts[unit] ?? 0;
    }
  }

  /** The current sums; valid until the next method call. */
  sums(nowMs: MonotonicMs): Spend {
    this.#forget(nowMs);
    return this.#sums;
  }

  #forget(nowMs: MonotonicMs): void {
    const oldest = Math.floor(millisecondsOf(nowMs) / 1_000) - SPEND_WINDOW_S;
    for (let entry = this.#seconds[0]; entry !== undefined && entry.second < oldest; entry = this.#seconds[0]) {
      for (const unit of SPEND_UNITS) this.#sums[unit] -= entry.spend[unit];
      this.#seconds.shift();
    }
  }
}

/** The first unit for which `spent` plus `asked` exceeds the limit. */
export const exceededUnit = (spent: Spend, asked: Partial<Spend>, limits: Spend): SpendUnit | undefined =>
  SPEND_UNITS.find((unit) => spent[unit] + (asked[unit] ?? Number.NEGATIVE_INFINITY) > limits[unit]);
