import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { readLines } from "../../../bench/check/read-results.ts";
import { checkText } from "../../../bench/check/report.ts";
import { judgeSim } from "../../../bench/check/sim-result.ts";
import type { Machine } from "../../../bench/harness/machine.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const machine = (agoHours: number) =>
  ({ measuredAt: new Date(NOW_MS - agoHours * 3_600_000).toISOString() }) as Machine;

function folderWith(results: Record<string, object>): URL {
  const folder = temporaryDirectory();
  for (const [name, result] of Object.entries(results)) {
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(result));
  }
  return pathToFileURL(`${folder}/`);
}

const linesOf = (results: Record<string, object>, source: string) =>
  readLines(folderWith(results), NOW_MS).filter((line) => line.source === source);

const BUDGET = { budget: "a budget", measured: "1 ms", verdict: "holds" } as const;

test("a fresh result is shown with its own verdicts", () => {
  expect(linesOf({ "turn-latency": { machine: machine(23), budgets: [BUDGET] } }, "turn-latency")).toEqual([
    { ...BUDGET, source: "turn-latency" },
  ]);
});

test("a result that is missing, old, or proves nothing is not shown", () => {
  const verdict = (results: Record<string, object>) => linesOf(results, "turn-latency").map(({ verdict: one }) => one);
  expect(verdict({})).toEqual(["not shown"]);
  expect(verdict({ "turn-latency": { machine: machine(25), budgets: [BUDGET] } })).toEqual(["not shown"]);
  expect(verdict({ "turn-latency": { machine: machine(1), budgets: [BUDGET], problems: ["late"] } })).toEqual([
    "not shown",
  ]);
});

test("bench:frame and the seeded calls are judged by their measurements", () => {
  const frame = { machine: machine(1), ways: { in: { heapBytes: 0.2 }, out: { heapBytes: 16 } } };
  const call = { medianMs: 300, budgetMs: 1_000 };
  expect(linesOf({ frame: { ...frame, call } }, "frame").map(({ verdict }) => verdict)).toEqual([
    "holds",
    "missed",
    "holds",
  ]);
  const sim = (seeds: number, tookS: number, clean: boolean) => judgeSim({ machine: machine(1), seeds, tookS, clean });
  expect(sim(1_000, 60, true).verdict).toBe("holds");
  expect(sim(1_000, 61, true).verdict).toBe("missed");
  expect(sim(1_000, 10, false).verdict).toBe("missed");
  expect(sim(10, 10, true).verdict).toBe("not shown");
});

test("every budget has one line", () => {
  const lines = readLines(folderWith({ "turn-latency": { machine: machine(1), budgets: [BUDGET] } }), NOW_MS);
  const text = checkText({ machine: machine(0), fromResults: true, lines });
  expect(text).toMatch(/^holds {6}a budget: 1 ms$/m);
  expect(text).toMatch(/^1 of 8 hold$/m);
});
