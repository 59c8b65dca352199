import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { edited, MUTANTS, type Mutant, simulateMutant } from "./mutants.ts";

/** Most mutants are noticed by one of the first ten seeds. */
const SEEDS = 200;
const TIMEOUT_MS = 240_000;

/** Others are simulated in mutant-calls.test.ts, and all of them by `npm run sim -- --mutants`. */
test("without a guard the simulation fails", { timeout: TIMEOUT_MS }, async () => {
  const { isSeen, output } = await simulateMutant(MUTANTS[0] as Mutant, SEEDS);
  expect(isSeen, output).toBe(true);
});

test.each(MUTANTS)("the source still has this guard: $guard", ({ edits }) => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const edit of edits) expect(edited(root, edit)).toContain(edit.to);
});
