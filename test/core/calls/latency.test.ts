import { describe, expect, test } from "vitest";
import { latencySummary, percentile, stepDurations } from "../../../src/core/calls/latency.ts";
import type { TranscriptTurn, TurnLatency } from "../../../src/core/calls/transcript.ts";
import { callMs } from "../../../src/core/clocks.ts";

const ANSWER: TurnLatency = {
  finalTranscriptMs: 310,
  endOfTurnMs: 500,
  llmRequestedMs: 510,
  firstTextMs: 800,
  firstSegmentMs: 830,
  firstAudioMs: 1_010,
  firstFrameMs: 1_016,
};

const turn = (latency?: TurnLatency): TranscriptTurn => ({
  role: "agent",
  text: "words",
  startMs: callMs(0),
  endMs: callMs(1),
  interrupted: false,
  ...(latency === undefined ? {} : { latency }),
});

describe("percentiles", () => {
  const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

  test.each([
    [[7], 50, 7],
    [[7], 99, 7],
    [[1, 2], 50, 1],
    [[1, 2], 51, 2],
    [[15, 20, 35, 40, 50], 40, 20],
    [[15, 20, 35, 40, 50], 41, 35],
    [[15, 20, 35, 40, 50], 100, 50],
    [[15, 20, 35, 40, 50], 0, 15],
    [upTo(100), 50, 50],
    [upTo(100), 95, 95],
    [upTo(100), 99, 99],
    [upTo(101), 99, 100],
    [upTo(10), 90, 9],
    [upTo(10), 95, 10],
  ])("of %j the value of rank %d is %d, by the nearest rank", (sorted, percent, value) => {
    expect(percentile(sorted, percent)).toBe(value);
  });

  test("of no values are NaN", () => {
    expect(percentile([], 50)).toBeNaN();
  });
});

describe("the steps of a reply", () => {
  test("each begin where the previous one ends, except the final transcript, which runs in parallel", () => {
    const steps = stepDurations(ANSWER);
    expect(steps).toEqual({
      endOfTurn: 500,
      finalTranscript: 310,
      llmFirstToken: 290,
      firstSegment: 30,
      ttsFirstByte: 180,
      firstFrame: 6,
      total: 1_016,
    });
  });

  test("that did not happen are absent: there was no LLM request and no final transcript", () => {
    expect(stepDurations({ endOfTurnMs: 0, firstSegmentMs: 0, firstAudioMs: 100, firstFrameMs: 120 })).toEqual({
      endOfTurn: 0,
      ttsFirstByte: 100,
      firstFrame: 20,
      total: 120,
    });
  });

  test("of a journal of an older build are those that it contains", () => {
    expect(stepDurations({ endOfTurnMs: 500, firstTextMs: 640, firstAudioMs: 760, firstFrameMs: 780 })).toEqual({
      endOfTurn: 500,
      firstFrame: 20,
      total: 780,
    });
  });

  test("have the time that the answer waited for passages, where some are fetched for every turn", () => {
    expect(stepDurations({ ...ANSWER, retrievalMs: 508 })).toMatchObject({ endOfTurn: 500, retrieval: 8 });
  });

  test("of a reply that begins with a service phrase have no first segment of the LLM", () => {
    const steps = stepDurations({ ...ANSWER, firstSegmentMs: 600, firstAudioMs: 700, firstFrameMs: 710 });
    expect(steps.firstSegment).toBeUndefined();
    expect(steps).toMatchObject({ llmFirstToken: 290, ttsFirstByte: 100, firstFrame: 10, total: 710 });
  });
});

describe("the summary of a call", () => {
  test("counts each step over the replies that have it", () => {
    const quick = { ...ANSWER, firstTextMs: 600, firstSegmentMs: 600 };
    const { finalTranscriptMs: _, ...untranscribed } = ANSWER;
    const summary = latencySummary([
      turn(),
      turn(ANSWER),
      { ...turn(), role: "user" },
      turn(quick),
      turn(untranscribed),
    ]);
    expect(summary.finalTranscript).toEqual({ count: 2, p50Ms: 310, p90Ms: 310, p95Ms: 310, p99Ms: 310 });
    expect(summary.llmFirstToken).toEqual({ count: 3, p50Ms: 290, p90Ms: 290, p95Ms: 290, p99Ms: 290 });
    expect(summary.firstSegment).toEqual({ count: 3, p50Ms: 30, p90Ms: 30, p95Ms: 30, p99Ms: 30 });
    expect(summary.ttsFirstByte).toEqual({ count: 3, p50Ms: 180, p90Ms: 410, p95Ms: 410, p99Ms: 410 });
  });

  test("of a call without replies is empty", () => {
    expect(latencySummary([turn()])).toEqual({});
  });
});
