import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runStallBench } from "./bench.ts";
import { stallPage, stallText } from "./report.ts";
import type { StallOptions } from "./result.ts";

const USAGE = `What callers hear when the worker's event loop is blocked under load.

  npm run bench:stall -- [--calls 500] [--stalls 10,25,50,100,250,500] [--times 10] [--write] [--out DIR]

  --calls   simultaneous calls of carrier_a, 1 to 5000
  --stalls  durations of the stalls, ms, each 1 to 5000
  --times   stalls of each duration, 1 to 100
  --write   replaces the section bench:stall of bench/RESULTS.md
  --out     where stall.json and stall.html go; default bench/results

Exits with 1 when the run proves nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A missed budget is printed and fails nothing.
`;

const read = (given: Given): StallOptions | undefined =>
  sensible({
    calls: integer(given.calls, 1, 5_000),
    stallsMs: (given.stalls ?? "").split(",").map((stall) => integer(stall, 1, 5_000)),
    times: integer(given.times, 1, 100),
  });

await runCommand({
  name: "stall",
  usage: USAGE,
  defaults: { calls: "500", stalls: "10,25,50,100,250,500", times: "10" },
  read,
  run: onRig(runStallBench),
  text: stallText,
  page: stallPage,
  problems: (result) => result.problems,
});
