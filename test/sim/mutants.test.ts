import { expect, test } from "vitest";
import { MUTANTS, simulateMutant } from "./mutants.ts";

/** Most are seen in one of the first ten. */
const SEEDS = 200;
const TIMEOUT_MS = 240_000;

test.each(MUTANTS)(
  "without this guard the simulation is red: $guard",
  async (mutant) => {
    const { isSeen, output } = await simulateMutant(mutant, SEEDS);
    expect(isSeen, output).toBe(true);
  },
  TIMEOUT_MS,
);
