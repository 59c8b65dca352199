import { randomUUID } from "node:crypto";
import { billOf, type Prices } from "../../core/billing/prices.ts";
import type { Usage } from "../../core/billing/usage.ts";
import type { AnalysisFailure, CallAnalysis } from "../../core/calls/analysis.ts";
import type { ModelName } from "../../core/calls/spec.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import {
  ANALYSES_CONCURRENT_MAX,
  ANALYSES_PER_ACCOUNT_MAX,
  ANALYSIS_INVALID_ANSWERS_MAX,
  ANALYSIS_REQUEST_MS_MAX,
  ANALYSIS_RETRY_DELAYS_MS,
} from "../../core/limits/calls/analysis.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { SchemaChecks } from "../../core/schemas/checker.ts";
import type { JobContext, JobHandler } from "../../jobs/handler.ts";
import type { AnalysisBill, AnalysisStore, PendingAnalysis } from "../../store/calls/analysis-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";
import { answerJsonOf, type LlmAnswer, partsOf } from "./answer.ts";
import { type AnalysisRequest, analysisRequestOf } from "./request.ts";

/** The LLM of a call, as an account may use it. */
export interface AnalysisLlm {
  /** The model's context, tokens; undefined where that is not known. */
  readonly contextTokens: number | undefined;
  /** Reports with `onUsed` what each request to a provider has used, failed ones included. */
  ask(
    request: AnalysisRequest,
    signal: AbortSignal,
    onUsed: (provider: string, usage: Usage) => void,
  ): Promise<LlmAnswer>;
}

export interface AnalysisJobOptions {
  analyses: Pick<AnalysisStore, "pending" | "attempted" | "settle">;
  /** Rejects with `unavailable` where the account may use no provider of the model. */
  llmOf: (accountId: AccountId, model: ModelName) => Promise<AnalysisLlm>;
  schemas: Pick<SchemaChecks, "check">;
  /** The account has reached a limit of its spending. */
  isOverLimit: (accountId: AccountId) => boolean;
  prices: Prices | undefined;
  log: Logger;
  onSettled: (status: "completed" | AnalysisFailure) => void;
}

/** Has an LLM analyse a call that is over, until its answer fits the schema or every attempt has failed. */
export class AnalysisJob implements JobHandler {
  readonly concurrentMax = ANALYSES_PER_ACCOUNT_MAX;
  readonly concurrentTotalMax = ANALYSES_CONCURRENT_MAX;
  readonly attemptMsMax = ANALYSIS_REQUEST_MS_MAX + 30_000;
  readonly retryDelaysMs = ANALYSIS_RETRY_DELAYS_MS;
  readonly #options: AnalysisJobOptions;

  constructor(options: AnalysisJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, { signal }: JobContext): Promise<void> {
    const { analyses, isOverLimit } = this.#options;
    const { callId } = job.payload as { callId: CallId };
    const pending = await analyses.pending(callId);
    // Settled by an attempt whose end was lost, or the transcript was deleted meanwhile.
    if (pending === undefined) return;
    if (isOverLimit(pending.accountId)) return await this.#fail(callId, "spend_limit");
    const used = new Used(this.#options.prices);
    try {
      const answer = await this.#analyse(callId, pending, used, signal);
      if (answer !== "invalid_answer") return await this.#settle(callId, answer, used.bill);
      if (job.attempt >= ANALYSIS_INVALID_ANSWERS_MAX) return await this.#fail(callId, "invalid_answer", used.bill);
    } catch (error) {
      if (signal.aborted) {
        if (used.bill.usage.length > 0) await analyses.attempted(callId, used.bill);
        signal.throwIfAborted();
      }
      if (job.attempt > this.retryDelaysMs.length) {
        this.#options.log.warn(
          { callId, err: error, code: codeOf(error) },
          "analysis of a call failed at its last attempt",
        );
        return await this.#fail(callId, "provider_failed", used.bill);
      }
      await analyses.attempted(callId, used.bill);
      throw error;
    }
    await analyses.attempted(callId, used.bill);
    throw unavailable("the LLM's answer does not fit the schema of the analysis");
  }

  async #analyse(
    callId: CallId,
    pending: PendingAnalysis,
    used: Used,
    signal: AbortSignal,
  ): Promise<CallAnalysis | "invalid_answer"> {
    const { llmOf, schemas, log } = this.#options;
    const { accountId, model, settings } = pending;
    const llm = await llmOf(accountId, model);
    const request = analysisRequestOf(pending, `=== ${randomUUID()} ===`, llm.contextTokens);
    const timely = AbortSignal.any([signal, AbortSignal.timeout(ANALYSIS_REQUEST_MS_MAX)]);
    const json = answerJsonOf(await llm.ask(request, timely, (provider, usage) => used.add(provider, usage)));
    const parts = json === undefined ? undefined : partsOf(json, settings);
    if (parts === undefined) {
      log.warn({ callId }, "the LLM answered an analysis with no such object");
      return "invalid_answer";
    }
    const { schema } = settings;
    if (schema !== undefined) {
      const result = await schemas.check(accountId, JSON.stringify(schema), JSON.stringify(parts.data), timely);
      if (result.outcome === "refused" || result.outcome === "failed") throw unavailable("the schema checker is busy");
      if (result.outcome !== "answered" || result.answer.kind !== "fits") {
        log.warn({ callId, outcome: result.outcome }, "the LLM's analysis does not fit its schema");
        return "invalid_answer";
      }
    }
    return { status: "completed", ...parts, ...(request.isTruncated && { truncated: true }) };
  }

  #fail(callId: CallId, reason: AnalysisFailure, bill: AnalysisBill = NO_BILL): Promise<void> {
    return this.#settle(callId, { status: "failed", reason }, bill);
  }

  async #settle(callId: CallId, analysis: CallAnalysis, bill: AnalysisBill): Promise<void> {
    const { analyses, onSettled } = this.#options;
    if (await analyses.settle(callId, analysis, bill)) onSettled(analysis.reason ?? "completed");
  }
}

const NO_BILL: AnalysisBill = { usage: [], cost: undefined };

/** What the requests of an attempt have used. */
class Used {
  readonly #prices: Prices | undefined;
  readonly #requests: { stage: "llm"; provider: string; usage: Usage }[] = [];

  constructor(prices: Prices | undefined) {
    this.#prices = prices;
  }

  add(provider: string, usage: Usage): void {
    this.#requests.push({ stage: "llm", provider, usage });
  }

  get bill(): AnalysisBill {
    return billOf(this.#requests, this.#prices);
  }
}
