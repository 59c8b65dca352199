import { expect, test } from "vitest";
import { MUTANTS, simulateMutant } from "./mutants.ts";

/** Most mutants are noticed by one of the first ten seeds. */
const SEEDS = 200;
const TIMEOUT_MS = 240_000;

/** Each takes some seconds. mutants.test.ts has the first; `npm run sim -- --mutants` simulates all of them. */
test.each(MUTANTS.slice(1, 4))(
  "without this guard the simulation fails: $guard",
  async (mutant) => {
    const { isSeen, output } = await simulateMutant(mutant, SEEDS);
    expect(isSeen, output).toBe(true);
  },
  TIMEOUT_MS,
);
