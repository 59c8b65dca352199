import { type Given, integer, runCommand, sensible } from "../harness/command.ts";
import { runTurnsBench, type TurnsOptions } from "./bench.ts";
import { turnsPage } from "./page.ts";
import { turnsText } from "./text.ts";

const USAGE = `Which sounds stop the agent, and how fast: in virtual time, with synthesised speech.

  npm run bench:turn-taking -- [--calls 40] [--seed 1] [--write] [--out DIR]

  --calls  calls for each case and STT, half as many where there is noise, 1 to 1000
  --seed   the seed of everything random, 0 to 4294967295; the same seed gives the same figures
  --write  replaces the section bench:turn-taking of bench/RESULTS.md
  --out    where turn-taking.json and turn-taking.html go; default bench/results

A missed budget is printed and fails nothing.
`;

const read = (given: Given): TurnsOptions | undefined =>
  sensible({ calls: integer(given.calls, 1, 1_000), seed: integer(given.seed, 0, 2 ** 32 - 1) });

await runCommand({
  name: "turn-taking",
  usage: USAGE,
  defaults: { calls: "40", seed: "1" },
  read,
  run: runTurnsBench,
  text: turnsText,
  page: turnsPage,
});
