import type { CallCost, ProviderUsage } from "../core/billing/prices.ts";
import type { EpochMs } from "../core/clocks.ts";
import type { AccountId, AgentId, CallId } from "../core/ids.ts";

/** What a call that had a stream used, from its record. */
export interface CallUsage {
  id: CallId;
  agentId?: AgentId;
  endedAtMs: EpochMs;
  /** ms. */
  durationMs: number;
  usage: readonly ProviderUsage[];
  /** Absent where no prices were configured. */
  cost?: CallCost;
}

/** Which calls of an account to read. */
export interface UsageQuery {
  /** Ended at this time or later. */
  endedFromMs: EpochMs;
  /** Ended before this time. */
  endedBeforeMs: EpochMs;
  /** Only calls after this one in the list's order. */
  after?: Pick<CallUsage, "id" | "endedAtMs"> | undefined;
  /** The maximum number of calls; at least 1. */
  limit: number;
}

/** The usage of ended calls. Rejects with `unavailable` when the store cannot answer at present. */
export interface UsageStore {
  /** The account's calls that match the query, by the time of their end, earliest first. */
  listEnded(accountId: AccountId, query: UsageQuery): Promise<readonly CallUsage[]>;
}
