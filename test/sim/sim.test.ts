import { describe, expect, test } from "vitest";
import { ifMachineStalled } from "../support/stalled-machine.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { Chronicle } from "./observer/chronicle.ts";
import { failureText } from "./observer/report.ts";
import { drawPlan } from "./plan/plan.ts";
import { REGRESSIONS } from "./regressions.ts";
import { simulateSeeds } from "./seeds.ts";
import { loadShared } from "./service.ts";
import { simulate } from "./simulation.ts";

/** `all-outcomes.test.ts` simulates 200, and `npm run sim` any number. */
const SEEDS = 50;
const TIMEOUT_MS = 60_000;

describe("whole calls in virtual time", () => {
  test(
    `the calls of ${SEEDS} seeds keep every invariant`,
    async () => {
      const { failures } = await simulateSeeds(SEEDS);
      expect(failures.join("\n")).toBe("");
    },
    TIMEOUT_MS,
  );

  test("the same seed gives the same call, line for line", { retry: ifMachineStalled }, async () => {
    const shared = await loadShared(temporaryDirectory());
    let lines = 0;
    for (let seed = 1; seed <= 5; seed += 1) {
      const first = await simulate(seed, shared, true);
      const second = await simulate(seed, shared, true);
      lines += first.chronicle.lines.length;
      expect(second.chronicle.lines).toEqual(first.chronicle.lines);
    }
    expect(lines).toBeGreaterThan(100);
  });

  test.each(REGRESSIONS)("seed $seed, which found $found, is clean", async ({ seed }) => {
    const call = await simulate(seed, await loadShared(temporaryDirectory()));
    expect(failureText(call)).toBeUndefined();
  });

  test("a failure is printed with the command that reproduces it", () => {
    const chronicle = new Chronicle(false, () => 12_345);
    chronicle.violated("no reply hangs", "reply 2");
    chronicle.violated("no reply hangs", "reply 3");
    expect(failureText({ plan: drawPlan(4_711), chronicle, durationMs: 20_000 })).toBe(
      "FAILED  npm run sim -- --seed 4711\n    at 12.345 s: no reply hangs: reply 2",
    );
  });
});
