import { TrunklineError } from "../errors.ts";
import { SPEND_WINDOW_S } from "../limits/spend.ts";

/** What is limited per minute, of a call and of an account. The names are public. */
export const SPEND_UNITS = ["llm_requests", "input_tokens", "output_tokens", "tts_characters"] as const;
export type SpendUnit = (typeof SPEND_UNITS)[number];

/** Amounts of each unit; as a limit `Infinity` is none. */
export type Spend = Readonly<Record<SpendUnit, number>>;

/** What may be reached: a limit per minute, or `maxCost` of the call. */
export const SPEND_LIMITS = [...SPEND_UNITS, "cost"] as const;
export type SpendLimit = (typeof SPEND_LIMITS)[number];

/** Whether the limit is the call's or the account's. */
export const SPEND_SCOPES = ["call", "account"] as const;
export type SpendScope = (typeof SPEND_SCOPES)[number];

/** What comes of a limit that is reached: the agent says so, and the call ends, or goes on without the answer. */
export const SPEND_ACTIONS = ["end", "refuse"] as const;
export type SpendAction = (typeof SPEND_ACTIONS)[number];

/** What an operator has set. */
export interface SpendSettings {
  call: Spend;
  account: Spend;
  action: SpendAction;
}

/** What one account has spent within the last minute in one worker. */
export interface AccountSpend {
  accountId: string;
  spend: Spend;
}

/** An account that has reached a limit. */
export interface AccountOverLimit {
  accountId: string;
  limit: SpendUnit;
}

/** Why a provider was not asked; stands as the `cause` of the error. */
export interface SpendRefusal {
  scope: SpendScope;
  limit: SpendLimit;
}

/** A provider was not asked, because the call or its account would spend more than it may. */
export const spendLimited = (refusal: SpendRefusal): TrunklineError =>
  new TrunklineError("spend_limit", "caller", `the ${refusal.scope} has reached its limit of ${refusal.limit}`, {
    cause: refusal,
  });

/** Why a provider was not asked, if that is what `error` says; any other error is undefined. */
export const spendRefusalOf = (error: unknown): SpendRefusal | undefined =>
  error instanceof TrunklineError && error.code === "spend_limit" ? (error.cause as SpendRefusal) : undefined;

const zeroSpend = (): Record<SpendUnit, number> => ({
  llm_requests: 0,
  input_tokens: 0,
  output_tokens: 0,
  tts_characters: 0,
});

/**
 * What was spent within the last SPEND_WINDOW_S, in steps of a second; no amount is forgotten before its time. Holds at most one entry
 * a second. Times are ms of any clock that does not go backwards.
 */
export class SpendWindow {
  readonly #seconds: { second: number; spend: Record<SpendUnit, number> }[] = [];
  readonly #sums = zeroSpend();

  /** Counts these amounts from now on. */
  add(amounts: Partial<Spend>, nowMs: number): void {
    this.#forget(nowMs);
    const second = Math.floor(nowMs / 1_000);
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

  /** Takes back of what was added at `addedMs`, unless that is forgotten already. */
  refund(amounts: Partial<Spend>, addedMs: number, nowMs: number): void {
    this.#forget(nowMs);
    const second = Math.floor(addedMs / 1_000);
    const entry = this.#seconds.find((one) => one.second === second);
    if (entry === undefined) return;
    for (const unit of SPEND_UNITS) {
      entry.spend[unit] -= amounts[unit] ?? 0;
      this.#sums[unit] -= amounts[unit] ?? 0;
    }
  }

  /** The sums as they are now; valid until the next call of a method. */
  sums(nowMs: number): Spend {
    this.#forget(nowMs);
    return this.#sums;
  }

  #forget(nowMs: number): void {
    const oldest = Math.floor(nowMs / 1_000) - SPEND_WINDOW_S;
    for (let entry = this.#seconds[0]; entry !== undefined && entry.second < oldest; entry = this.#seconds[0]) {
      for (const unit of SPEND_UNITS) this.#sums[unit] -= entry.spend[unit];
      this.#seconds.shift();
    }
  }
}

/** The first unit of `asked` of which that, on top of `spent`, would be more than the limit. */
export const exceededUnit = (spent: Spend, asked: Partial<Spend>, limits: Spend): SpendUnit | undefined =>
  SPEND_UNITS.find((unit) => spent[unit] + (asked[unit] ?? Number.NEGATIVE_INFINITY) > limits[unit]);
