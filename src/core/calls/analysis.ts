/** What an LLM is to find out about a call that is over. */
export interface AnalysisSettings {
  /** A JSON Schema of the type `object`: what `data` is to be. Absent where only a summary is wanted. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** What the LLM is to pay attention to. */
  readonly prompt?: string;
  /** A summary in a few sentences is wanted, too. */
  readonly summary?: true;
}

export const ANALYSIS_STATUSES = ["pending", "completed", "failed"] as const;
export type AnalysisStatus = (typeof ANALYSIS_STATUSES)[number];

/** Why there is no analysis, with what that means, in Markdown for the OpenAPI document. */
export const ANALYSIS_FAILURE_MEANINGS = {
  no_transcript: "nothing was said, or all of it while the recording was paused",
  provider_failed: "the LLM failed, and neither retries nor fallbacks made up for it",
  invalid_answer: "the LLM's answers did not fit the schema",
  spend_limit: "the account has reached a spend limit",
} as const;
export type AnalysisFailure = keyof typeof ANALYSIS_FAILURE_MEANINGS;
export const ANALYSIS_FAILURES = Object.keys(ANALYSIS_FAILURE_MEANINGS) as readonly AnalysisFailure[];

/** The analysis of a call as its record has it. */
export interface CallAnalysis {
  readonly status: AnalysisStatus;
  /** Present where it has failed. */
  readonly reason?: AnalysisFailure;
  readonly summary?: string;
  readonly data?: Readonly<Record<string, unknown>>;
  /** The beginning of the transcript was left out, because it did not fit into a prompt. */
  readonly truncated?: true;
}
