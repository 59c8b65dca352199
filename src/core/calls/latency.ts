import type { TranscriptTurn, TurnLatency } from "./spec.ts";

/**
 * The steps from a caller's last voiced frame to the first frame of the answer, in their order; `whole` is all of it.
 *
 * `endOfTurn`: until turn taking decided that it is the agent's turn. `finalTranscript`: until the ear's final text, which runs
 * beside it. `llmFirstToken`: from the question to the model's first text. `firstSegment`: from that to the first piece that was
 * given to the voice. `ttsFirstByte`: from that to its first audio. `firstFrame`: from that to the first frame that was sent.
 */
export const LATENCY_STEPS = [
  "endOfTurn",
  "finalTranscript",
  "llmFirstToken",
  "firstSegment",
  "ttsFirstByte",
  "firstFrame",
  "total",
] as const;
export type LatencyStep = (typeof LATENCY_STEPS)[number];

/** How long each step of one answer took, ms; those that were not taken are absent. */
export type StepDurations = Partial<Record<LatencyStep, number>>;

/** What a stage came to over the answers of a call: how many had it, and its percentiles, ms. */
export interface StepSummary {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p95Ms: number;
  p99Ms: number;
}

/** Of each stage that an answer of the call had. */
export type LatencySummary = Partial<Record<LatencyStep, StepSummary>>;

export function stepDurations(latency: TurnLatency): StepDurations {
  const { finalTranscriptMs, endOfTurnMs, llmRequestedMs, firstTextMs, firstSegmentMs, firstAudioMs, firstFrameMs } =
    latency;
  const stages: StepDurations = { endOfTurn: endOfTurnMs };
  if (finalTranscriptMs !== undefined) stages.finalTranscript = finalTranscriptMs;
  if (llmRequestedMs !== undefined && firstTextMs !== undefined) stages.llmFirstToken = firstTextMs - llmRequestedMs;
  if (firstSegmentMs !== undefined) {
    // Words of our own may come first: the caller was told to wait.
    if (firstTextMs !== undefined && firstSegmentMs >= firstTextMs) stages.firstSegment = firstSegmentMs - firstTextMs;
    stages.ttsFirstByte = firstAudioMs - firstSegmentMs;
  }
  stages.firstFrame = firstFrameMs - firstAudioMs;
  stages.total = firstFrameMs;
  return stages;
}

/** The smallest of the values that `percent` of them do not exceed (nearest rank); NaN of none. `sorted` is in ascending order. */
export const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] ?? Number.NaN;

/** What the answers among `turns` took; empty where nobody was answered. */
export function latencySummary(turns: readonly TranscriptTurn[]): LatencySummary {
  const answers = turns.flatMap(({ latency }) => (latency === undefined ? [] : [stepDurations(latency)]));
  const summary: LatencySummary = {};
  for (const stage of LATENCY_STEPS) {
    const sorted = answers.flatMap(({ [stage]: ms }) => (ms === undefined ? [] : [ms])).sort((a, b) => a - b);
    if (sorted.length > 0) summary[stage] = stepSummary(sorted);
  }
  return summary;
}

const stepSummary = (sorted: readonly number[]): StepSummary => ({
  count: sorted.length,
  p50Ms: percentile(sorted, 50),
  p90Ms: percentile(sorted, 90),
  p95Ms: percentile(sorted, 95),
  p99Ms: percentile(sorted, 99),
});
