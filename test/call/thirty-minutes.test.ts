import { expect, test } from "vitest";
import { thirtyMinutes } from "../support/calls/thirty-minutes.ts";

test("a 30-minute call in virtual time, with inactivity prompts and the maximum duration, gives the same commands at the same times twice", () => {
  const first = thirtyMinutes();
  const second = thirtyMinutes();
  expect([first.endReason, first.endMs]).toEqual(["max_duration", 1_800_000]);
  expect(first.turns.filter(({ text }) => text === "Are you still there?").length).toBeGreaterThan(20);
  expect(first.turns.filter(({ interrupted }) => interrupted).length).toBeGreaterThanOrEqual(30);
  expect(second.commands).toEqual(first.commands);
});
