import { expect, test } from "vitest";
import { figuresOf } from "../../../bench/barge-in/bench.ts";
import type { Exchange } from "../../../bench/conversations/caller.ts";
import { spreadOf } from "../../../bench/harness/statistics.ts";
import { gapsOf } from "../../../bench/measurement/frame-analysis.ts";
import { FrameTimes } from "../../../bench/measurement/frame-times.ts";
import { lateGenerator } from "../../../bench/measurement/phase-results.ts";
import { longerStalls, pointOf } from "../../../bench/stall/findings.ts";
import { caseOf } from "../../../bench/turn-latency/bench.ts";

/** One call whose service stalls from `fromMs` to `toMs`, is at least 100 ms ahead of the playback otherwise, and catches up at once. */
function receivedAround(fromMs: number, toMs: number) {
  const times = new FrameTimes({ calls: 1, framesMax: 200, baseMs: 0 });
  for (let frame = 0; frame < 200; frame += 1) {
    const dueMs = Math.max(0, 20 * frame - 100);
    times.stamp(0, dueMs > fromMs && dueMs < toMs ? toMs : dueMs);
  }
  return times.data;
}

test("a stall within the audio sent ahead is not heard", () => {
  const point = pointOf(80, [{ fromMs: 1_001, toMs: 1_081 }], receivedAround(1_001, 1_081));
  expect(point).toMatchObject({ seen: 1, silent: 0 });
  expect(point.recoveryMs.max).toBe(0);
});

test("of a longer stall the caller hears the time beyond the audio sent ahead, until the buffer is full again", () => {
  const received = receivedAround(1_001, 1_251);
  const point = pointOf(250, [{ fromMs: 1_001, toMs: 1_251 }], received);
  expect(point).toMatchObject({ seen: 1, silent: 1 });
  // The last frame came at 1,000 ms, when 120 ms were ahead.
  expect(point.silenceMs.p50).toBeCloseTo(131, 3);
  expect(point.recoveryMs.max).toBe(0);
  expect(gapsOf(received, { fromMs: 0, toMs: 10_000 })).toEqual({ count: 1, longestMs: 131 });
  expect(gapsOf(received, { fromMs: 0, toMs: 1_000 }).count).toBe(0);
});

test("recovery lasts until the caller's buffer is as full as before", () => {
  const times = new FrameTimes({ calls: 1, framesMax: 100, baseMs: 0 });
  for (let frame = 0; frame < 100; frame += 1) {
    // From the 50th on one frame each 10 ms, which is twice as fast as they are played.
    times.stamp(0, frame < 50 ? Math.max(0, 20 * frame - 100) : 1_200 + 10 * (frame - 50));
  }
  const point = pointOf(300, [{ fromMs: 900, toMs: 1_200 }], times.data);
  // 20 ms with the first, 10 more with each following one: 100 with the ninth.
  expect(point.recoveryMs.max).toBe(80);
});

test("a stall that another program prolonged is discarded", () => {
  const point = (realToMs: number) => pointOf(80, [{ fromMs: 1_001, toMs: realToMs }], receivedAround(1_001, realToMs));
  expect(longerStalls([point(1_081), point(1_101)])).toEqual([]);
  expect(longerStalls([point(1_081), point(1_111)])).toHaveLength(1);
});

test("two stalls have separate results", () => {
  const stalls = [
    { fromMs: 1_001, toMs: 1_011 },
    { fromMs: 2_001, toMs: 2_201 },
  ];
  expect(pointOf(100, stalls, receivedAround(2_001, 2_201))).toMatchObject({ seen: 2, silent: 1 });
});

test("a run with a generator that is a frame late or out of CPU time proves nothing", () => {
  const late = (p99Ms: number) => spreadOf(Float32Array.of(p99Ms));
  expect(lateGenerator({ load: 0.9, late: late(20) })).toEqual([]);
  expect(lateGenerator({ load: 0.91, late: late(1) })).toHaveLength(1);
  expect(lateGenerator({ load: 0.1, late: late(21) })).toHaveLength(1);
});

const exchange = (own: Partial<Exchange>): Exchange => ({
  onsetMs: 1_000,
  detectedMs: 1_090,
  lastSpeechMs: 2_000,
  agentStoppedMs: Number.NaN,
  answeredMs: 2_800,
  ...own,
});

test("the overhead of a turn excludes the providers' delays and the endpointing delay; of STT and endpointing the later one counts", () => {
  const own = (sttMs: number) =>
    caseOf({ title: "turns", delays: { sttMs, llmMs: 150, ttsMs: 100 } }, [exchange({})]).overheadMs.p50;
  expect(own(100)).toBe(50);
  expect(own(540)).toBe(10);
});

test("only speech that interrupted the agent counts as an interruption", () => {
  const { fromSpeechMs, fromDetectionMs } = figuresOf([exchange({}), exchange({ agentStoppedMs: 1_085 })]);
  expect(fromSpeechMs).toMatchObject({ count: 1, p50: 85 });
  expect(fromDetectionMs).toMatchObject({ count: 1, max: -5 });
});
