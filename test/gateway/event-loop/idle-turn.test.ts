import { expect, test } from "vitest";
import { idleTurn } from "../../../src/gateway/event-loop/idle-turn.ts";

/** A clock by which the turns of the loop take these times, and the last of them for ever after. */
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

test("waits behind turns that had much to do for one that had not", async () => {
  // The first look only begins a turn.
  const { nowMs, looked } = turnsOf(0, 3, 5, 0.3, 0.1);
  await idleTurn(nowMs);
  expect(looked()).toBe(5);
});

test("waits no longer than 200 turns where none is quiet", async () => {
  const { nowMs, looked } = turnsOf(1);
  await idleTurn(nowMs);
  expect(looked()).toBe(200);
});
