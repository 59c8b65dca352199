import type { TranscriptTurn, TurnLatency } from "./call-spec.ts";

/**
 * The steps from a caller's last voiced frame to the first frame of the answer, in their order; `whole` is all of it.
 *
 * `endOfUtterance`: until turn taking decided that it is the agent's turn. `finalTranscript`: until the ear's final text, which runs
 * beside it. `modelFirstToken`: from the question to the model's first text. `firstPiece`: from that to the first piece that was
 * given to the voice. `voiceFirstByte`: from that to its first audio. `firstSampleOut`: from that to the first frame that was sent.
 */
export const LATENCY_STAGES = [
  "endOfUtterance",
  "finalTranscript",
  "modelFirstToken",
  "firstPiece",
  "voiceFirstByte",
  "firstSampleOut",
  "whole",
] as const;
export type LatencyStage = (typeof LATENCY_STAGES)[number];

/** How long each step of one answer took, ms; those that were not taken are absent. */
export type Stages = Partial<Record<LatencyStage, number>>;

/** What a stage came to over the answers of a call: how many had it, and its percentiles, ms. */
export interface StageSummary {
  count: number;
  p50Ms: number;
  p90Ms: number;
  p95Ms: number;
  p99Ms: number;
}

/** Of each stage that an answer of the call had. */
export type LatencySummary = Partial<Record<LatencyStage, StageSummary>>;

export function stagesOf(latency: TurnLatency): Stages {
  const { finalMs, endOfTurnMs, askedMs, firstTextMs, firstPieceMs, firstAudioMs, firstFrameMs } = latency;
  const stages: Stages = { endOfUtterance: endOfTurnMs };
  if (finalMs !== undefined) stages.finalTranscript = finalMs;
  if (askedMs !== undefined && firstTextMs !== undefined) stages.modelFirstToken = firstTextMs - askedMs;
  if (firstPieceMs !== undefined) {
    // Words of our own may come first: the caller was told to wait.
    if (firstTextMs !== undefined && firstPieceMs >= firstTextMs) stages.firstPiece = firstPieceMs - firstTextMs;
    stages.voiceFirstByte = firstAudioMs - firstPieceMs;
  }
  stages.firstSampleOut = firstFrameMs - firstAudioMs;
  stages.whole = firstFrameMs;
  return stages;
}

/** The smallest of the values that `percent` of them do not exceed (nearest rank); NaN of none. `sorted` is in ascending order. */
export const percentile = (sorted: readonly number[], percent: number): number =>
  sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] ?? Number.NaN;

/** What the answers among `turns` took; empty where nobody was answered. */
export function latencySummary(turns: readonly TranscriptTurn[]): LatencySummary {
  const answers = turns.flatMap(({ latency }) => (latency === undefined ? [] : [stagesOf(latency)]));
  const summary: LatencySummary = {};
  for (const stage of LATENCY_STAGES) {
    const sorted = answers.flatMap(({ [stage]: ms }) => (ms === undefined ? [] : [ms])).sort((a, b) => a - b);
    if (sorted.length > 0) summary[stage] = stageSummary(sorted);
  }
  return summary;
}

const stageSummary = (sorted: readonly number[]): StageSummary => ({
  count: sorted.length,
  p50Ms: percentile(sorted, 50),
  p90Ms: percentile(sorted, 90),
  p95Ms: percentile(sorted, 95),
  p99Ms: percentile(sorted, 99),
});
