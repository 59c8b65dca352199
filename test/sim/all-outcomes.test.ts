import { expect, test } from "vitest";
import { simulateSeeds } from "./seeds.ts";

const SEEDS = 300;
const TIMEOUT_MS = 180_000;

test(
  `the calls of ${SEEDS} seeds keep every invariant, and every outcome occurs in one of them`,
  async () => {
    const { failures, census } = await simulateSeeds(SEEDS);
    expect(failures.join("\n")).toBe("");
    expect(census.missing).toEqual([]);
  },
  TIMEOUT_MS,
);
