import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { runDashboardBench } from "./bench.ts";
import { grossExcess } from "./goals.ts";
import { DASHBOARD_EXPLANATION, dashboardPage, dashboardText } from "./report.ts";
import { type DashboardOptions, PARTS, type Part } from "./result.ts";

const USAGE = `The dashboard: how much a browser loads at first and how long that blocks it, how soon a call of two hours and a list of 100,000 calls
show their first rows, what a frame costs while they are scrolled, whether memory grows, and what streams of events cost the service.

  npm run bench:dashboard -- [--only PARTS] [--runs 5] [--reduced] [--write] [--out DIR]

  --only     parts, comma-separated: ${PARTS.join(", ")}
  --runs     first loads, 3 to 50; twice as many openings of the call, four times as many of the list
  --reduced  two minutes: 10,000 calls, a call of 10 minutes, 3 runs; fails only where a goal is missed grossly; not with --write
  --write    replaces the section bench:dashboard of bench/RESULTS.md; with --only, the section of these parts
  --out      where dashboard.json and dashboard.html go; default bench/results

Needs Chromium, except for streams. The journal of the long call is kept in bench/cache. A goal that is missed is printed and fails
nothing. Exits with 1 when the run proves nothing. About six minutes, on a machine that is otherwise idle.
`;

function read(given: Given): DashboardOptions | undefined {
  const reduced = given.reduced !== undefined;
  if (given.write !== undefined && reduced) return undefined;
  const parts = given.only === "" ? PARTS : partsIn(given.only ?? "");
  if (parts === undefined) return undefined;
  return sensible({ parts, runs: reduced ? 3 : integer(given.runs, 3, 50), reduced });
}

/** Undefined where one of the names is unknown. */
function partsIn(text: string): readonly Part[] | undefined {
  const names = text.split(",");
  return names.every((name) => (PARTS as readonly string[]).includes(name)) ? (names as Part[]) : undefined;
}

await runCommand({
  name: "dashboard",
  section: ({ parts }) =>
    parts.length === PARTS.length ? "bench:dashboard" : `bench:dashboard --only ${parts.join(",")}`,
  usage: USAGE,
  defaults: { only: "", runs: "5" },
  flags: ["reduced"],
  read,
  run: runDashboardBench,
  text: dashboardText,
  explanation: DASHBOARD_EXPLANATION,
  page: dashboardPage,
  problems: ({ problems }) => problems,
  failed: (result) => result.options.reduced && grossExcess(result).length > 0,
});
