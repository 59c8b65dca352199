import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { edited, MUTANTS, simulateMutant } from "./mutants.ts";

/** Most are seen in one of the first ten. */
const SEEDS = 200;
const TIMEOUT_MS = 240_000;
/** Each takes some seconds: the others are for `npm run sim -- --mutants`. */
const MUTANTS_HERE = 4;

test.each(MUTANTS.slice(0, MUTANTS_HERE))(
  "without this guard the simulation fails: $guard",
  async (mutant) => {
    const { isSeen, output } = await simulateMutant(mutant, SEEDS);
    expect(isSeen, output).toBe(true);
  },
  TIMEOUT_MS,
);

test.each(MUTANTS)("the source still has this guard: $guard", ({ edits }) => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  for (const edit of edits) expect(edited(root, edit)).toContain(edit.to);
});
