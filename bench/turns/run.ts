import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { failsWhenChecked, speechOptions } from "../harness/speech-options.ts";
import { runTurnsOnSpeech, type TurnsOnSpeechOptions } from "./bench.ts";
import { goalsOf } from "./budgets.ts";
import { turnsOnSpeechPage } from "./page.ts";
import { turnsOnSpeechText } from "./text.ts";

const USAGE = `How calls go with human callers: ends of turns, interruptions, echo, inactivity; in virtual time.

  npm run bench:turns -- [--minutes 10] [--seed 1] [--cache DIR] [--fetch] [--check] [--write] [--out DIR]

  --minutes  of calls in each case, with each STT and detector, 1 to 120
  --seed     the seed of everything random, 0 to 4294967295; the same seed gives the same figures
  --cache    the folder of the speech; default bench/cache, which git ignores
  --fetch    downloads what is missing there, as npm run bench:hearing -- --fetch does
  --check    exit code 1 where a goal is missed
  --write    replaces the section bench:turns of bench/RESULTS.md
  --out      where turns.json and turns.html go; default bench/results

A missed goal is printed, and fails nothing without --check.
`;

const EXPLANATION = `Human speech, an STT that knows the texts, LLM and TTS without delay. Explained in [README.md](README.md#benchturns).`;

function read(given: Given): TurnsOnSpeechOptions | undefined {
  const numbers = sensible({ minutes: integer(given.minutes, 1, 120), seed: integer(given.seed, 0, 2 ** 32 - 1) });
  return numbers && { ...numbers, ...speechOptions(given) };
}

await runCommand({
  name: "turns",
  usage: USAGE,
  defaults: { minutes: "10", seed: "1", cache: undefined },
  flags: ["fetch", "check"],
  read,
  run: runTurnsOnSpeech,
  text: turnsOnSpeechText,
  explanation: EXPLANATION,
  page: turnsOnSpeechPage,
  failed: failsWhenChecked(goalsOf),
});
