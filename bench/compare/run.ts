import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runCompareBench } from "./bench.ts";
import { comparePage } from "./page.ts";
import type { CompareOptions } from "./result.ts";
import { compareText } from "./text.ts";

const USAGE = `The same load on a bare echo, a typical gateway, the media worker, the media worker on ws, and the media worker with audio in
its journals.

  npm run bench:compare -- [--calls 200] [--seconds 10] [--rounds 3] [--warm-up 3] [--talkers 2] [--write] [--out DIR]

  --calls     simultaneous calls of carrier_a, 1 to 5000
  --seconds   measured in each round, for each contestant, 1 to 1200
  --rounds    how often all contestants are measured, 1 to 20
  --warm-up   seconds before each measurement, with all calls on, 0 to 60
  --talkers   callers that hold a whole conversation with the worker after each measurement, 0 to 20
  --write     replaces the section bench:compare of bench/RESULTS.md
  --out       where compare.json and compare.html go; default bench/results

Exits with 1 when the run proves nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A missed budget is printed and fails nothing.
`;

const read = (given: Given): CompareOptions | undefined =>
  sensible({
    // What the typical gateway speaks.
    wire: "carrier_a" as const,
    calls: integer(given.calls, 1, 5_000),
    seconds: integer(given.seconds, 1, 1_200),
    warmUpSeconds: integer(given["warm-up"], 0, 60),
    rounds: integer(given.rounds, 1, 20),
    talkers: integer(given.talkers, 0, 20),
  });

await runCommand({
  name: "compare",
  usage: USAGE,
  defaults: { calls: "200", seconds: "10", rounds: "3", "warm-up": "3", talkers: "2" },
  read,
  run: onRig(runCompareBench, ({ wire }) => wire),
  text: compareText,
  page: comparePage,
  problems: (result) => result.problems,
});
