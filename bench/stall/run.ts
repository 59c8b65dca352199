import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runStallBench } from "./bench.ts";
import { stallPage, stallText } from "./report.ts";
import type { StallOptions } from "./result.ts";

const USAGE = `What callers hear when the worker's loop is blocked, under load.

  npm run bench:stall -- [--calls 500] [--stalls 10,25,50,100,250,500] [--times 10] [--out DIR]

  --calls   calls of carrier_a at once, 1 to 5000
  --stalls  how long the loop is blocked, ms, each 1 to 5000
  --times   how often for each length, 1 to 100
  --out     where stall.json and stall.html go; default bench/results

Exits with 1 when the run shows nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A budget that is missed is named, and is no failure.
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
