import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { onRig } from "../rig/rig.ts";
import { runCompareBench } from "./bench.ts";
import { comparePage } from "./page.ts";
import type { CompareOptions } from "./result.ts";
import { compareText } from "./text.ts";

const USAGE = `The same load on a bare echo, on a typical gateway, on our media worker, on it with ws for its
media server, and on it with audio in its journals, in turn.

  npm run bench:compare -- [--calls 200] [--seconds 10] [--rounds 3] [--warm-up 3] [--talkers 2] [--out DIR]

  --calls     calls of carrier_a at once, 1 to 5000
  --seconds   measured in each round, for each contestant, 1 to 1200
  --rounds    how often all contestants come in turn, 1 to 20
  --warm-up   seconds before each measurement, with all calls on, 0 to 60
  --talkers   whole conversations with ours, understood to the word, after each measurement, with all calls on, 0 to 20
  --out       where compare.json and compare.html go; default bench/results

Exits with 1 when the run shows nothing: calls or frames were lost, words were not understood, or the generator itself was late.
A budget that is missed is named, and is no failure.
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
