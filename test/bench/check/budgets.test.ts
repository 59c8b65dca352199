import { expect, test } from "vitest";
import { judgeBargeIn } from "../../../bench/barge-in/budgets.ts";
import { judgeCompare } from "../../../bench/compare/budgets.ts";
import type { Ratio } from "../../../bench/compare/result.ts";
import { type Spread, spreadOf } from "../../../bench/harness/statistics.ts";
import { judgeDrift, judgeSteps } from "../../../bench/load/budgets.ts";
import type { StepResult } from "../../../bench/load/result.ts";
import type { RoundResult } from "../../../bench/measurement/result.ts";
import { judgeStalls } from "../../../bench/stall/findings.ts";
import type { StallPoint } from "../../../bench/stall/result.ts";
import { judgeTurns } from "../../../bench/turn-latency/bench.ts";
import type { TurnCase } from "../../../bench/turn-latency/result.ts";

/** Every single value. */
const all = (valueMs: number): Spread => spreadOf(Float32Array.of(valueMs));
const cost = (totalUs: number) => ({ userUs: totalUs, systemUs: 0, totalUs });

interface Seen {
  p99Ms?: number;
  totalUs?: number;
  kib?: number;
  driftMs?: number;
}

function step(calls: number, { p99Ms = 1, totalUs = 20, kib = 100, driftMs = 0 }: Seen = {}): StepResult {
  const round = { driftMs, memoryPerCallBytes: kib * 1_024, cost: cost(totalUs) } as RoundResult;
  return {
    calls,
    rounds: [round],
    cost: round.cost,
    latency: { toStt: all(p99Ms), written: all(p99Ms) },
  };
}

const verdicts = (steps: StepResult[], seconds = 20): string[] =>
  judgeSteps(steps, { seconds }).map(({ verdict }) => verdict);

test("steps at the load of a budget decide it", () => {
  expect(verdicts([step(100), step(500), step(1_000)], 600)).toEqual(Array(6).fill("holds"));
  const late = step(500, { p99Ms: 3, driftMs: -40 });
  const many = step(1_000, { p99Ms: 11, totalUs: 23, kib: 151 });
  expect(verdicts([step(100), late, many], 600)).toEqual(Array(6).fill("missed"));
});

test("with fewer calls than a budget requires, a good figure proves nothing and a bad one misses the budget", () => {
  expect(verdicts([step(100)])).toEqual(Array(6).fill("not shown"));
  const missed = ["missed", "missed", "missed", "missed", "not shown", "not shown"];
  expect(verdicts([step(100, { p99Ms: 11, driftMs: 40, kib: 400 })])).toEqual(missed);
});

test("with more calls than a budget requires, a bad figure decides nothing", () => {
  expect(verdicts([step(1_000, { p99Ms: 5 })]).slice(0, 3)).toEqual(["not shown", "not shown", "holds"]);
});

test("a drift that was measured for less than ten minutes is not shown", () => {
  const { rounds } = step(500);
  expect(judgeDrift(500, 60, rounds).verdict).toBe("not shown");
  expect(judgeDrift(500, 600, rounds).verdict).toBe("holds");
});

test("a ratio holds if its median is at most the limit", () => {
  const ratio = (to: Ratio["to"], median: number): Ratio => ({ of: "trunkline", to, median, min: 0, max: 9 });
  const judged = (echo: number, typical: number) =>
    judgeCompare([ratio("echo", echo), ratio("typical", typical)]).map(({ verdict }) => verdict);
  expect(judged(1.5, 0.6)).toEqual(["holds", "holds"]);
  expect(judged(1.51, 0.61)).toEqual(["missed", "missed"]);
  expect(judgeCompare([]).map(({ verdict }) => verdict)).toEqual(["missed", "missed"]);
});

test("a stall within the audio sent ahead must not be heard, and after a longer one the service must catch up in time", () => {
  const point = (stallMs: number, silent: number, recoveryMs: number): StallPoint => ({
    stallMs,
    realMs: all(stallMs),
    seen: 10,
    silent,
    silenceMs: all(1),
    recoveryMs: all(recoveryMs),
  });
  const judged = (points: StallPoint[], calls = 500) => judgeStalls(points, calls).map(({ verdict }) => verdict);
  expect(judged([point(100, 0, 900), point(250, 10, 100)])).toEqual(["holds", "holds"]);
  expect(judged([point(100, 1, 1), point(250, 0, 101)])).toEqual(["missed", "missed"]);
  expect(judged([point(100, 0, 1)], 50)).toEqual(["not shown", "not shown"]);
});

test("turns are judged by the worse case, interruptions by their p50 and p90", () => {
  const turns = (p95Ms: number[]) => judgeTurns(p95Ms.map((ms) => ({ overheadMs: all(ms) }) as TurnCase)).verdict;
  expect([turns([10, 30]), turns([31, 10])]).toEqual(["holds", "missed"]);
  const judged = (fromVoiceMs: number, fromDetectionMs: number) =>
    judgeBargeIn({ fromSpeechMs: all(fromVoiceMs), fromDetectionMs: all(fromDetectionMs) }).map(
      ({ verdict }) => verdict,
    );
  expect(judged(120, 20)).toEqual(["holds", "holds"]);
  expect(judged(121, 21)).toEqual(["missed", "missed"]);
});
