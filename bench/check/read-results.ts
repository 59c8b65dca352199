import { readFileSync } from "node:fs";
import { budgetsOf } from "../frame/goals.ts";
import type { FrameResult } from "../frame/result.ts";
import type { Verdict } from "../harness/verdict.ts";
import { type CheckLine, SOURCES, type Source } from "./result.ts";
import { judgeSim, type SimResult } from "./sim-result.ts";

/** What is older was measured of another state of things. */
const FRESH_MS = 24 * 3_600_000;

/** What is read of every result. */
interface AnyResult {
  machine: { measuredAt: string };
  budgets?: Verdict[];
  problems?: string[];
}

/** What a result says of the budgets, in the terms of its own bench. */
const JUDGES: Readonly<Partial<Record<Source, (result: never) => Verdict[]>>> = {
  frame: (result: FrameResult) => budgetsOf(result),
  sim: (result: SimResult) => [judgeSim(result)],
};

/** One line a budget, of the results in `folder`; a result that is missing, old or shows nothing has a line that says so. */
export const readLines = (folder: URL, nowMs: number): CheckLine[] =>
  SOURCES.flatMap((source) => linesOf(source, folder, nowMs).map((line) => ({ ...line, source })));

/** The result of one bench; undefined where there is none that can be read. */
export function readResult<Result>(source: Source, folder: URL): Result | undefined {
  try {
    return JSON.parse(readFileSync(new URL(`${source}.json`, folder), "utf8")) as Result;
  } catch {
    return undefined;
  }
}

function linesOf(source: Source, folder: URL, nowMs: number): Verdict[] {
  const result = readResult<AnyResult>(source, folder);
  const nothing = (why: string): Verdict[] => [
    { budget: `what ${source} measures`, measured: why, verdict: "not shown" },
  ];
  if (result === undefined) return nothing("there is no result of it");
  const { measuredAt } = result.machine;
  if (!(nowMs - Date.parse(measuredAt) <= FRESH_MS)) return nothing(`its result is old: ${measuredAt}`);
  const [problem] = result.problems ?? [];
  if (problem !== undefined) return nothing(`its run shows nothing: ${problem}`);
  return JUDGES[source]?.(result as never) ?? result.budgets ?? nothing("its result says nothing of budgets");
}
