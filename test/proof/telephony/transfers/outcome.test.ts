import { describe, expect, test } from "vitest";
import { type CallerEvidence, EMPTY_MS_MAX, outcomeOf, WAIT_MS_MAX } from "./outcome.ts";

const WAITING: CallerEvidence = {
  hasTarget: false,
  hasAgent: false,
  isEnded: false,
  isHungUp: false,
  hasText: false,
  emptyMs: 0,
  waitMs: 1_000,
};

describe("what became of a caller", () => {
  test.each<[string, Partial<CallerEvidence>, ReturnType<typeof outcomeOf>]>([
    ["waits for the target", {}, undefined],
    ["speaks with the target", { hasTarget: true }, "target"],
    ["has spoken with a target that hung up, which ends the call", { hasTarget: true, isEnded: true }, "target"],
    ["has the agent again", { hasAgent: true }, "agent"],
    ["heard why the call ends", { isEnded: true, isHungUp: true, hasText: true }, "text"],
    ["is lost where the service hung up without a word", { isEnded: true, isHungUp: true }, "lost"],
    ["is lost where it hung up after the agent came back", { isEnded: true, isHungUp: true, hasAgent: true }, "lost"],
    ["was left by the carrier, which had no answer", { isEnded: true }, "carrier"],
    ["is lost when connected to nothing for too long", { emptyMs: EMPTY_MS_MAX + 1 }, "lost"],
    ["is lost where no side speaks", { waitMs: WAIT_MS_MAX + 1 }, "lost"],
  ])("%s", (_, evidence, outcome) => {
    expect(outcomeOf({ ...WAITING, ...evidence })).toBe(outcome);
  });
});
