import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { runTurnsBench, type TurnsOptions } from "./bench.ts";
import { turnsPage } from "./page.ts";
import { turnsText } from "./text.ts";

const USAGE = `How turns are taken: who is stopped by what, and how fast, in virtual time, with speech that was synthesised.

  npm run bench:turns -- [--calls 40] [--seed 1] [--out DIR]

  --calls  calls for each case and STT, half as many where there is noise, 1 to 1000
  --seed   of all that is left to chance, 0 to 4294967295; the same seed gives the same figures
  --out    where turns.json and turns.html go; default bench/results

A budget that is missed is named, and is no failure.
`;

const read = (given: Given): TurnsOptions | undefined =>
  sensible({ calls: integer(given.calls, 1, 1_000), seed: integer(given.seed, 0, 2 ** 32 - 1) });

await runCommand({
  name: "turns",
  usage: USAGE,
  defaults: { calls: "40", seed: "1" },
  read,
  run: runTurnsBench,
  text: turnsText,
  page: turnsPage,
});
