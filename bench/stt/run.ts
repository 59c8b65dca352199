import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { failsWhenChecked, speechOptions } from "../harness/speech-options.ts";
import { runSttBench, type SttOptions } from "./bench.ts";
import { goalsOf } from "./budgets.ts";
import { sttPage } from "./page.ts";
import { sttText } from "./text.ts";

const USAGE = `How well and at what cost the local STT understands English, on human speech of Debian's packages.

  npm run bench:stt -- --fetch
  npm run bench:stt -- [--every 1] [--seed 1] [--cache DIR] [--check] [--write] [--out DIR]

  --fetch  downloads what is missing of the packages, about 115 MB, with apt-get; installs nothing
  --cache  the folder for them; default bench/cache, which git ignores
  --every  of the prompts and single words only every so many, 1 to 50
  --seed   the seed of the noise, 0 to 4294967295
  --check  exit code 1 where a goal is missed
  --write  replaces the section bench:stt of bench/RESULTS.md
  --out    where stt.json and stt.html go; default bench/results

A missed goal is printed, and fails nothing without --check.
`;

const EXPLANATION = `Wrong words as jiwer counts them, on human speech from Debian's packages. Explained in
[README.md](README.md#benchstt).`;

function read(given: Given): SttOptions | undefined {
  const numbers = sensible({ every: integer(given.every, 1, 50), seed: integer(given.seed, 0, 2 ** 32 - 1) });
  return numbers && { ...numbers, ...speechOptions(given) };
}

await runCommand({
  name: "stt",
  usage: USAGE,
  defaults: { every: "1", seed: "1", cache: undefined },
  flags: ["fetch", "check"],
  read,
  run: runSttBench,
  text: sttText,
  explanation: EXPLANATION,
  page: sttPage,
  failed: failsWhenChecked(goalsOf),
});
