import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { edited, MUTANTS, type Mutant, simulateMutant } from "./mutants.ts";
import { failureOf, simulatePhoneCall } from "./simulation.ts";

/** `npm run sim:telephony` simulates any number. */
const SEEDS = 300;
/** One of the first seeds notices this mutant. */
const MUTANT_SEEDS = 500;
const TIMEOUT_MS = 60_000;

describe("telephone calls in virtual time", () => {
  test(`the calls of ${SEEDS} seeds keep every invariant`, { timeout: TIMEOUT_MS }, () => {
    const failures = Array.from({ length: SEEDS }, (_, n) => failureOf(simulatePhoneCall(n + 1)));
    expect(failures.filter((failure) => failure !== undefined).join("\n")).toBe("");
  });

  test("the same seed gives the same call, line for line", () => {
    for (let seed = 1; seed <= 10; seed += 1) {
      expect(simulatePhoneCall(seed).story).toEqual(simulatePhoneCall(seed).story);
    }
  });

  test("calls end in every way", () => {
    const reasons = new Set(Array.from({ length: SEEDS }, (_, n) => simulatePhoneCall(n + 1).reason));
    for (const reason of ["busy", "no_answer", "declined", "transferred", "unknown", "carrier_failed", "api_hangup"]) {
      expect(reasons).toContain(reason);
    }
  });

  test.each(MUTANTS)("the machine still has this guard: $guard", (mutant) => {
    const root = fileURLToPath(new URL("../../..", import.meta.url));
    expect(edited(root, mutant)).toContain(mutant.to);
  });

  test("without a guard the simulation fails", { timeout: TIMEOUT_MS }, async () => {
    const tokenEarly = MUTANTS.find(({ seen }) => seen === "no token exists before the answer") as Mutant;
    const { isSeen, output } = await simulateMutant(tokenEarly, MUTANT_SEEDS);
    expect(isSeen, output).toBe(true);
  });
});
