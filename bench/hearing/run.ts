import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { failsWhenChecked, speechOptions } from "../harness/speech-options.ts";
import { type HearingOptions, runHearingBench } from "./bench.ts";
import { goalsOf } from "./budgets.ts";
import { hearingPage } from "./page.ts";
import { hearingText } from "./text.ts";

const USAGE = `How well voice activity is detected in human speech: prompts of Debian's packages, in noise.

  npm run bench:hearing -- --fetch
  npm run bench:hearing -- [--minutes 45] [--seed 1] [--cache DIR] [--check] [--write] [--out DIR]

  --fetch    downloads what is missing of the packages, about 115 MB, with apt-get; installs nothing
  --cache    the folder for them; default bench/cache, which git ignores
  --minutes  the longest tape, 1 to 60; what is said again in minute 20 needs 20
  --seed     the seed of everything random, 0 to 4294967295; the same seed gives the same tapes
  --check    exit code 1 where a goal is missed
  --write    replaces the section bench:hearing of bench/RESULTS.md
  --out      where hearing.json, hearing.html and hearing-tape.svg go; default bench/results

A missed goal is printed, and fails nothing without --check.
`;

const EXPLANATION = `Human speech from Debian's packages; en, es and fr are held out: nothing was tuned with them. Explained in
[README.md](README.md#benchhearing).`;

const seedAndMinutes = (given: Given) =>
  sensible({ minutes: integer(given.minutes, 1, 60), seed: integer(given.seed, 0, 2 ** 32 - 1) });

function read(given: Given): HearingOptions | undefined {
  const numbers = seedAndMinutes(given);
  return numbers && { ...numbers, ...speechOptions(given) };
}

await runCommand({
  name: "hearing",
  usage: USAGE,
  defaults: { minutes: "45", seed: "1", cache: undefined },
  flags: ["fetch", "check"],
  read,
  run: runHearingBench,
  text: hearingText,
  explanation: EXPLANATION,
  page: hearingPage,
  failed: failsWhenChecked(goalsOf),
});
