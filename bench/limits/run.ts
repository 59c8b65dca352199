import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { writeResults } from "../harness/results-file.ts";
import { runLimitsBench } from "./bench.ts";
import { limitsFailed, limitsPage, limitsSection, limitsText } from "./report.ts";
import type { LimitsOptions, LimitsResult } from "./result.ts";

const USAGE = `What one peer costs the loop of its worker when it sends exactly the most that its limits allow.

  npm run bench:limits -- [--seconds 5] [--bursts 5] [--only TEXT] [--reduced] [--out DIR]

  --seconds  rounds in which each rate is measured, of a second each, 2 to 60; up to three times as many where the figure is not good enough
  --bursts   how often each burst is sent, 1 to 20
  --only     only limits that hold this in "stream, name", as the run prints them; does not write bench/RESULTS.md
  --reduced  two minutes: one carrier, two short rounds a rate, no burst that needs a pause before it; fails only beyond three times a
             bound, and does not write bench/RESULTS.md
  --out      where limits.json and limits.html go; default bench/results

Exits with 1 when a limit costs more than 10 % of the loop or a burst more than 50 ms, when one could not be measured, or when a call
ended though its peer stayed within its limits. About a quarter of an hour.
`;

function read(given: Given): LimitsOptions | undefined {
  const reduced = given.reduced !== undefined;
  return sensible({
    seconds: reduced ? 2 : integer(given.seconds, 2, 60),
    bursts: reduced ? 1 : integer(given.bursts, 1, 20),
    only: given.only ?? "",
    reduced,
  });
}

async function run(options: LimitsOptions, write: (line: string) => void): Promise<LimitsResult> {
  const result = await runLimitsBench(options, write);
  if (!options.reduced && options.only === "" && result.problems.length === 0)
    writeResults("Limits", limitsSection(result));
  return result;
}

await runCommand({
  name: "limits",
  usage: USAGE,
  defaults: { seconds: "5", bursts: "5", only: "" },
  flags: ["reduced"],
  read,
  run,
  text: limitsText,
  page: limitsPage,
  problems: ({ problems }) => problems,
  failed: limitsFailed,
});
