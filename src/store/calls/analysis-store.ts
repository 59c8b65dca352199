import type { CallCost, ProviderUsage } from "../../core/billing/prices.ts";
import type { AnalysisSettings, CallAnalysis } from "../../core/calls/analysis.ts";
import type { EndReason } from "../../core/calls/reasons.ts";
import type { ModelName } from "../../core/calls/spec.ts";
import type { TranscriptTurn } from "../../core/calls/transcript.ts";
import type { AccountId, CallId } from "../../core/ids.ts";

/** A call whose analysis is pending. */
export interface PendingAnalysis {
  readonly accountId: AccountId;
  readonly settings: AnalysisSettings;
  readonly model: ModelName;
  readonly language: string;
  readonly endReason: EndReason | undefined;
  readonly turns: readonly TranscriptTurn[];
}

/** What an attempt has cost; it becomes part of the call's usage and cost. */
export interface AnalysisBill {
  readonly usage: readonly ProviderUsage[];
  /** Undefined where the service has no prices. */
  readonly cost: CallCost | undefined;
}

/**
 * The analyses of ended calls. `CallStore.finish` makes one pending, in one transaction with the job that carries it out and the job
 * that announces the call's end without it. Every operation rejects with `unavailable` when the store cannot answer at present.
 */
export interface AnalysisStore {
  /** Undefined where the call's analysis is not pending (any more), or its transcript was deleted. */
  pending(callId: CallId): Promise<PendingAnalysis | undefined>;
  /** Adds the bill of an attempt that has failed. */
  attempted(callId: CallId, bill: AnalysisBill): Promise<void>;
  /** Ends a pending analysis and announces the call's end, in one transaction; false, and nothing is stored, where none is pending. */
  settle(callId: CallId, analysis: CallAnalysis, bill: AnalysisBill): Promise<boolean>;
  /** Announces the call's end, unless it is announced. */
  announceEnd(callId: CallId): Promise<void>;
}
