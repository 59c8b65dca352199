import { expect, test } from "vitest";
import { monotonicMs } from "../../../src/core/clocks.ts";
import { idleTurn } from "../../../src/gateway/event-loop/idle-turn.ts";

/** A clock with which the turns of the loop take these times; the last one repeats. */
function turnsOf(...lastMs: number[]): { nowMs: () => number; looked: () => number } {
  let atMs = 1_000;
  let looked = 0;
  return {
    nowMs() {
      atMs += lastMs[Math.min(looked, lastMs.length - 1)] ?? 0;
      looked += 1;
      return atMs;
    },
    looked: () => looked,
  };
}

test("waits after busy turns for an idle one", async () => {
  // The first reading only begins a turn.
  const { nowMs, looked } = turnsOf(0, 3, 5, 0.3, 0.1);
  await idleTurn(() => monotonicMs(nowMs()));
  expect(looked()).toBe(5);
});

test("waits at most 200 turns when none is idle", async () => {
  const { nowMs, looked } = turnsOf(1);
  await idleTurn(() => monotonicMs(nowMs()));
  expect(looked()).toBe(200);
});
