import {
  type AccountOverLimit,
  type AccountSpend,
  exceededUnit,
  SPEND_UNITS,
  type Spend,
  type SpendUnit,
} from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, type MonotonicMs } from "../../core/clocks.ts";
import { SPEND_WINDOW_S } from "../../core/limits/spend.ts";

/** One more unit of anything, which an account over its limit may not spend. */
const SMALLEST_SPEND: Spend = { llm_requests: 1, input_tokens: 1, output_tokens: 1, tts_characters: 1 };

interface WorkerSpend {
  spends: Map<string, Spend>;
  /** When the worker disconnected, ms of the clock; undefined while it is connected. */
  disconnectedMs: MonotonicMs | undefined;
}

/**
 * What accounts have spent within the last minute in all workers, by the workers' reports. Holds the accounts that have
 * spent something within that time. The spend of a disconnected worker stays until its minute is over.
 */
export class AccountSpendTotals {
  readonly #limits: Spend;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #workers = new Map<string, WorkerSpend>();

  constructor({ limits, clock }: { limits: Spend; clock: Pick<Clock, "nowMs"> }) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** A worker reports all its accounts when it connects, or else those whose sums have changed. */
  reported(workerId: string, spends: readonly AccountSpend[], all: boolean): void {
    const worker = all ? undefined : this.#workers.get(workerId);
    const spent = worker?.spends ?? new Map<string, Spend>();
    for (const { accountId, spend } of spends) {
      if (SPEND_UNITS.some((unit) => spend[unit] !== 0)) spent.set(accountId, spend);
      else spent.delete(accountId);
    }
    this.#workers.set(workerId, { spends: spent, disconnectedMs: undefined });
  }

  workerDisconnected(workerId: string): void {
    const worker = this.#workers.get(workerId);
    if (worker !== undefined) worker.disconnectedMs = this.#clock.nowMs();
  }

  /** The limit that an account has reached; undefined where it has reached none. */
  overLimit(accountId: string): SpendUnit | undefined {
    this.#dropExpired();
    return this.#limitReached(accountId);
  }

  /** All accounts that have reached a limit. */
  allOverLimit(): AccountOverLimit[] {
    this.#dropExpired();
    const accountIds = new Set([...this.#workers.values()].flatMap(({ spends }) => [...spends.keys()]));
    return [...accountIds].sort().flatMap((accountId) => {
      const limit = this.#limitReached(accountId);
      return limit === undefined ? [] : [{ accountId, limit }];
    });
  }

  #limitReached(accountId: string): SpendUnit | undefined {
    const sums: Record<SpendUnit, number> = { llm_requests: 0, input_tokens: 0, output_tokens: 0, tts_characters: 0 };
    for (const { spends } of this.#workers.values()) {
      const spend = spends.get(accountId);
      for (const unit of SPEND_UNITS) sums[unit] += spend?.[unit] ?? 0;
    }
    return exceededUnit(sums, SMALLEST_SPEND, this.#limits);
  }

  #dropExpired(): void {
    const untilMs = addMs(this.#clock.nowMs(), -(SPEND_WINDOW_S * 1_000));
    for (const [workerId, { disconnectedMs }] of this.#workers) {
      if (disconnectedMs !== undefined && disconnectedMs < untilMs) this.#workers.delete(workerId);
    }
  }
}
