import type { CallCost, ProviderUsage } from "../../core/billing/prices.ts";
import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, AgentId, CallId, TranscriptionId } from "../../core/ids.ts";
import type { PartOutcome } from "../../core/transcriptions/part.ts";

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

/** What a transcription that is over used, of a file or a live stream. */
export interface TranscriptionUsage {
  id: TranscriptionId;
  endedAtMs: EpochMs;
  /** Of its audio, ms. */
  durationMs: number;
  /** Never empty. */
  usage: PartOutcome["usage"];
}

/** Which calls or transcriptions of an account to read. */
export interface UsageQuery<Item extends Pick<CallUsage, "endedAtMs"> & { id: unknown } = CallUsage> {
  /** Ended at this time or later. */
  endedFromMs: EpochMs;
  /** Ended before this time. */
  endedBeforeMs: EpochMs;
  /** Only those after this one in the list's order. */
  after?: Pick<Item, "id" | "endedAtMs"> | undefined;
  /** The maximum number of them; at least 1. */
  limit: number;
}

/** The usage of ended calls and of transcriptions. Rejects with `unavailable` when the store cannot answer at present. */
export interface UsageStore {
  /** The account's calls that match the query, by the time of their end, earliest first. */
  listEnded(accountId: AccountId, query: UsageQuery): Promise<readonly CallUsage[]>;
  /** The account's transcriptions that match the query and used a provider, by the time of their end, earliest first. */
  listTranscribed(accountId: AccountId, query: UsageQuery<TranscriptionUsage>): Promise<readonly TranscriptionUsage[]>;
}
