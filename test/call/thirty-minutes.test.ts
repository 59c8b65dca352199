import { expect, test } from "vitest";
import { VirtualCall } from "../support/virtual-call.ts";

/** A caller who asks, interrupts and falls silent, over and over, until the cap ends the call. */
function thirtyMinutes(): VirtualCall {
  const call = new VirtualCall({
    spec: { maxDurationMs: 1_800_000, inactivityTimeoutMs: 30_000, interruptible: true },
    answer: (text) => ({
      text: `You asked about ${text}. There is a good deal to be said about that, and here it is.`,
    }),
  });
  call.at(100, () => call.handle({ kind: "leg-started" }));
  for (let round = 0; round < 30; round += 1) {
    const atMs = 5_000 + round * 58_000;
    call.says(atMs, `question number ${round}`);
    call.says(atMs + 5_000, "no something else please");
    call.coughs(atMs + 12_000, 500);
  }
  call.run(2_000_000);
  return call;
}

test("a 30-minute call in virtual time, with inactivity prompts and the cap, gives the same commands at the same times twice", () => {
  const first = thirtyMinutes();
  const second = thirtyMinutes();
  expect([first.endReason, first.endMs]).toEqual(["max_duration", 1_800_000]);
  expect(first.turns.filter(({ text }) => text === "Are you still there?").length).toBeGreaterThan(20);
  expect(first.turns.filter(({ interrupted }) => interrupted).length).toBeGreaterThanOrEqual(30);
  expect(second.commands).toEqual(first.commands);
});
