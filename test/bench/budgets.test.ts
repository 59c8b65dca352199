import { expect, test } from "vitest";
import { judge } from "../../bench/load/budgets.ts";
import type { ContestantResult, LoadOptions, Ratio, RoundResult } from "../../bench/load/load-result.ts";
import type { Spread } from "../../bench/statistics.ts";

const spread = (p99: number, p999: number): Spread => ({ count: 1, p50: 0, p90: 0, p99, p999, p9999: p999, max: p999 });
const cost = { userUs: 1, systemUs: 1, totalUs: 2, earUs: 0 };

function verdicts(
  options: Partial<LoadOptions>,
  measured: { p99: number; toEcho: number; driftMs?: number },
): string[] {
  const round = { driftMs: measured.driftMs ?? 0, memoryPerCallBytes: 100 * 1_024 } as RoundResult;
  const latency = spread(measured.p99, measured.p99);
  const ours: ContestantResult = {
    name: "trunkline",
    title: "Trunkline",
    rounds: [round],
    cost,
    latency: { heard: latency, written: latency },
  };
  const ratio = (to: Ratio["to"]): Ratio => {
    const value = to === "echo" ? measured.toEcho : 0.5;
    return { of: "trunkline", to, median: value, min: value, max: value };
  };
  const all: LoadOptions = { calls: 500, seconds: 15, rounds: 1, warmUpSeconds: 1, recorded: false, ...options };
  return judge(ours, [ratio("echo"), ratio("typical")], all).map(({ verdict }) => verdict);
}

test("a run at the budgets' own load settles them", () => {
  expect(verdicts({ calls: 1_000, seconds: 600 }, { p99: 1, toEcho: 1.4 })).toEqual(Array(7).fill("holds"));
});

test("what holds with fewer calls than a budget speaks of is not shown", () => {
  const shown = ["holds", "holds", "not shown", "not shown", "not shown", "not shown", "not shown"];
  expect(verdicts({ calls: 100 }, { p99: 1, toEcho: 1.5 })).toEqual(shown);
});

test("what fails with fewer calls than a budget speaks of is missed", () => {
  const missed = ["missed", "holds", "missed", "missed", "missed", "missed", "not shown"];
  expect(verdicts({ calls: 100 }, { p99: 11, toEcho: 1.51, driftMs: -40 })).toEqual(missed);
});

test("what fails with more calls than a budget speaks of decides nothing about it", () => {
  expect(verdicts({ calls: 1_000 }, { p99: 5, toEcho: 1 }).slice(2, 5)).toEqual(["not shown", "not shown", "holds"]);
});
