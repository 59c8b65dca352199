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
import type { AccountId, NodeName, WorkerId } from "../../core/ids.ts";
import { SPEND_WINDOW_S } from "../../core/limits/accounts/spend.ts";
import { NODE_SPENDS_MAX } from "../../core/limits/cluster/node-messages.ts";

/** One more unit of anything, which an account over its limit may not spend. */
const SMALLEST_SPEND: Spend = { llm_requests: 1, input_tokens: 1, output_tokens: 1, tts_characters: 1 };

interface WorkerSpend {
  spends: Map<AccountId, Spend>;
  /** When the worker disconnected, ms of the clock; undefined while it is connected. */
  disconnectedMs: MonotonicMs | undefined;
}

/** What an account has spent at another node, as that has announced it. */
interface NodeSpend {
  spend: Spend;
  heardMs: MonotonicMs;
}

/**
 * What accounts have spent within the last minute in all workers, by the workers' reports, and at other nodes of a cluster. Holds the accounts that have
 * spent something within that time. The spend of a disconnected worker stays until its minute is over.
 */
export class AccountSpendTotals {
  readonly #limits: Spend;
  readonly #clock: Pick<Clock, "nowMs">;
  readonly #workers = new Map<WorkerId, WorkerSpend>();
  readonly #nodes = new Map<NodeName, Map<AccountId, NodeSpend>>();

  constructor({ limits, clock }: { limits: Spend; clock: Pick<Clock, "nowMs"> }) {
    this.#limits = limits;
    this.#clock = clock;
  }

  /** A worker reports all its accounts when it connects, or else those whose sums have changed. */
  reported(workerId: WorkerId, spends: readonly AccountSpend[], all: boolean): void {
    const worker = all ? undefined : this.#workers.get(workerId);
    const spent = worker?.spends ?? new Map<AccountId, Spend>();
    for (const { accountId, spend } of spends) {
      if (SPEND_UNITS.some((unit) => spend[unit] !== 0)) spent.set(accountId, spend);
      else spent.delete(accountId);
    }
    this.#workers.set(workerId, { spends: spent, disconnectedMs: undefined });
  }

  workerDisconnected(workerId: WorkerId): void {
    const worker = this.#workers.get(workerId);
    if (worker !== undefined) worker.disconnectedMs = this.#clock.nowMs();
  }

  /** Another node announces these sums; of other accounts it has said nothing now. */
  reportedByNode(node: NodeName, spends: readonly AccountSpend[]): void {
    const heardMs = this.#clock.nowMs();
    const ofNode = this.#nodes.get(node) ?? new Map<AccountId, NodeSpend>();
    for (const { accountId, spend } of spends) {
      if (SPEND_UNITS.some((unit) => spend[unit] !== 0)) ofNode.set(accountId, { spend, heardMs });
      else ofNode.delete(accountId);
    }
    this.#nodes.set(node, ofNode);
  }

  /** What accounts have spent in all workers of this node: of those NODE_SPENDS_MAX that are nearest to a limit. */
  ofThisNode(): readonly AccountSpend[] {
    this.#dropExpired();
    const accountIds = new Set([...this.#workers.values()].flatMap(({ spends }) => [...spends.keys()]));
    return [...accountIds]
      .map((accountId) => ({ accountId, spend: this.#ofWorkers(accountId) }))
      .map((one) => ({ one, share: Math.max(...SPEND_UNITS.map((unit) => one.spend[unit] / this.#limits[unit])) }))
      .filter(({ share }) => share > 0)
      .sort((a, b) => b.share - a.share)
      .slice(0, NODE_SPENDS_MAX)
      .map(({ one }) => one);
  }

  /** The limit that an account has reached; undefined where it has reached none. */
  overLimit(accountId: AccountId): SpendUnit | undefined {
    this.#dropExpired();
    return this.#limitReached(accountId);
  }

  /** All accounts that have reached a limit. */
  allOverLimit(): AccountOverLimit[] {
    this.#dropExpired();
    const spendings = [...[...this.#workers.values()].map(({ spends }) => spends), ...this.#nodes.values()];
    const accountIds = new Set(spendings.flatMap((spends) => [...spends.keys()]));
    return [...accountIds].sort().flatMap((accountId) => {
      const limit = this.#limitReached(accountId);
      return limit === undefined ? [] : [{ accountId, limit }];
    });
  }

  #limitReached(accountId: AccountId): SpendUnit | undefined {
    const sums = this.#ofWorkers(accountId);
    for (const ofNode of this.#nodes.values()) {
      const spend = ofNode.get(accountId)?.spend;
      for (const unit of SPEND_UNITS) sums[unit] += spend?.[unit] ?? 0;
    }
    return exceededUnit(sums, SMALLEST_SPEND, this.#limits);
  }

  #ofWorkers(accountId: AccountId): Record<SpendUnit, number> {
    const sums: Record<SpendUnit, number> = { llm_requests: 0, input_tokens: 0, output_tokens: 0, tts_characters: 0 };
    for (const { spends } of this.#workers.values()) {
      const spend = spends.get(accountId);
      for (const unit of SPEND_UNITS) sums[unit] += spend?.[unit] ?? 0;
    }
    return sums;
  }

  #dropExpired(): void {
    const untilMs = addMs(this.#clock.nowMs(), -(SPEND_WINDOW_S * 1_000));
    for (const [workerId, { disconnectedMs }] of this.#workers) {
      if (disconnectedMs !== undefined && disconnectedMs < untilMs) this.#workers.delete(workerId);
    }
    for (const [node, spends] of this.#nodes) {
      for (const [accountId, { heardMs }] of spends) if (heardMs < untilMs) spends.delete(accountId);
      if (spends.size === 0) this.#nodes.delete(node);
    }
  }
}
