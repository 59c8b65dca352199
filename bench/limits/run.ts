import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { runLimitsBench } from "./bench.ts";
import { LIMITS_EXPLANATION, limitsFailed, limitsPage, limitsText } from "./report.ts";
import type { LimitsOptions } from "./result.ts";

const USAGE = `What one peer costs the event loop of its worker when it sends exactly the maximum that its limits allow.

  npm run bench:limits -- [--seconds 5] [--bursts 5] [--only TEXT] [--reduced] [--write] [--out DIR]

  --seconds  rounds of a second for each rate, 2 to 60; up to three times as many where the figure is not precise enough
  --bursts   how often each burst is sent, 1 to 20
  --only     only limits with this text in "stream, name", as the run prints them; not with --write
  --reduced  two minutes: one carrier, two short rounds a rate, no burst that needs a pause before it; fails only where what is
             beyond three times a bound, on a machine as fast as this one is at that time, is so in four runs; not with --write
  --write    replaces the section bench:limits of bench/RESULTS.md
  --out      where limits.json and limits.html go; default bench/results

Exits with 1 when a limit costs more than 10 % of the loop or a burst more than 50 ms, when one could not be measured, or when a
call ended although its peer stayed within its limits. About a quarter of an hour.
`;

function read(given: Given): LimitsOptions | undefined {
  const reduced = given.reduced !== undefined;
  if (given.write !== undefined && (reduced || given.only !== "")) return undefined;
  return sensible({
    seconds: reduced ? 2 : integer(given.seconds, 2, 60),
    bursts: reduced ? 1 : integer(given.bursts, 1, 20),
    only: given.only ?? "",
    reduced,
  });
}

await runCommand({
  name: "limits",
  usage: USAGE,
  defaults: { seconds: "5", bursts: "5", only: "" },
  flags: ["reduced"],
  read,
  run: runLimitsBench,
  text: limitsText,
  explanation: LIMITS_EXPLANATION,
  page: limitsPage,
  problems: ({ problems }) => problems,
  failed: limitsFailed,
});
