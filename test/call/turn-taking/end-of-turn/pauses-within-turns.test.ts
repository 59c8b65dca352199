import { expect, test } from "vitest";
import { PausesWithinTurns } from "../../../../src/call/turn-taking/end-of-turn/pauses-within-turns.ts";

const countOf = (...pausesMs: number[]): number => {
  const pauses = new PausesWithinTurns();
  for (const pauseMs of pausesMs) pauses.add(pauseMs);
  return pauses.count;
};

test("the pauses of a caller within turns are counted", () => {
  expect(countOf()).toBe(0);
  expect(countOf(900, 200, 500.4)).toBe(3);
});

test("the closure of a consonant and a wait for the agent are no pauses within a turn", () => {
  expect(countOf(Number.NaN, 60, 80, 4_000)).toBe(0);
});
