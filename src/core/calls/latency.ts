import type { TranscriptTurn, TurnLatency } from "./transcript.ts";

/**
 * The steps from a caller's last voiced frame to the first frame of the reply, in their order; `total` is the whole time.
 *
 * `endOfTurn`: until the end of the turn was decided. `finalTranscript`: until the final transcript, in parallel with the first
 * step. `retrieval`: from the end of the turn until the passages for the reply were there, or were waited for no longer.
 * `llmFirstToken`: from the LLM request to its first text. `firstSegment`: from that to the first segment handed to the TTS.
 * `ttsFirstByte`: from that to its first audio. `firstFrame`: from that to the first frame sent.
 */
export const LATENCY_STEPS = [
  "endOfTurn",
  "finalTranscript",
  "retrieval",
  "llmFirstToken",
  "firstSegment",
  "ttsFirstByte",
  "firstFrame",
  "total",
] as const;
export type LatencyStep = (typeof LATENCY_STEPS)[number];

/** How long each step of one reply took, ms; steps that did not happen are absent. */
export type StepDurations = Partial<Record<LatencyStep, number>>;

/** A step over the replies of a call: how many had it, and its percentiles, ms. */
export interface StepSummary {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p95Ms: number;
  p99Ms: number;
}

/** The steps that at least one reply of the call had. */
export type LatencySummary = Partial<Record<LatencyStep, StepSummary>>;

/** The duration of each step of one reply, ms. A step that the reply did not have is absent. */
export function stepDurations(latency: TurnLatency): StepDurations {
  const { finalTranscriptMs, endOfTurnMs, retrievalMs, llmRequestedMs, firstTextMs } = latency;
  const { firstSegmentMs, firstAudioMs, firstFrameMs } = latency;
  const steps: StepDurations = { endOfTurn: endOfTurnMs };
  if (finalTranscriptMs !== undefined) steps.finalTranscript = finalTranscriptMs;
  if (retrievalMs !== undefined) steps.retrieval = retrievalMs - endOfTurnMs;
  if (llmRequestedMs !== undefined && firstTextMs !== undefined) steps.llmFirstToken = firstTextMs - llmRequestedMs;
  if (firstSegmentMs !== undefined) {
    // A filler may be the first segment, before the first text of the LLM.
    if (firstTextMs !== undefined && firstSegmentMs >= firstTextMs) steps.firstSegment = firstSegmentMs - firstTextMs;
    steps.ttsFirstByte = firstAudioMs - firstSegmentMs;
  }
  steps.firstFrame = firstFrameMs - firstAudioMs;
  steps.total = firstFrameMs;
  return steps;
}

/** The percentile by nearest rank; NaN without values. `sorted` is in ascending order. */
export const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] ?? Number.NaN;

/** The latency of the replies among `turns`; empty without replies. */
export function latencySummary(turns: readonly TranscriptTurn[]): LatencySummary {
  const replies = turns.flatMap(({ latency }) => (latency === undefined ? [] : [stepDurations(latency)]));
  const summary: LatencySummary = {};
  for (const step of LATENCY_STEPS) {
    const sorted = replies.flatMap(({ [step]: ms }) => (ms === undefined ? [] : [ms])).sort((a, b) => a - b);
    if (sorted.length > 0) summary[step] = stepSummary(sorted);
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
