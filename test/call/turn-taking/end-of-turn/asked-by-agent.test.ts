import { expect, test } from "vitest";
import { DEFAULT_TURN_PARAMETERS } from "../../../../src/call/parameters.ts";
import { VirtualCall, WORD_MS } from "../../../support/calls/virtual-call.ts";

// What the agent asks weighs by hand, since recorded prompts answer no question: these dialogues show what it decides.

/** The words of the STT come so long after they were said, ms. */
const LAG_MS = 100;
/** When the caller speaks, ms: the greeting is over. */
const SPOKEN_MS = 8_000;

/** What the agent greets with, and what the caller says then: how long the pause was that ended the turn, and why. */
function ended(greeting: string, said: string): { pauseMs: number; reasons: readonly string[] } {
  const call = new VirtualCall({ spec: { greeting }, parameters: DEFAULT_TURN_PARAMETERS });
  call.at(0, () => call.handle({ kind: "leg-started", codec: "mulaw" }));
  const words = said.split(" ");
  call.coughs(SPOKEN_MS, words.length * WORD_MS);
  for (const [index] of words.entries()) {
    const text = words.slice(0, index + 1).join(" ");
    call.at(SPOKEN_MS + (index + 1) * WORD_MS + LAG_MS, () => call.handle({ kind: "stt-interim", text }));
  }
  call.run(SPOKEN_MS + words.length * WORD_MS + 3_000);
  const [end] = call.ofKind("turn-ended");
  expect(call.ofKind("generate-reply").at(-1)?.messages.at(-1)?.text, said).toBe(said);
  return { pauseMs: Number(end?.pauseMs), reasons: end?.reasons ?? [] };
}

test("yes after a question for yes or no is answered as soon as its words can be there, and says why", () => {
  const answer = ended("Shall I book the table?", "yes");
  expect(answer.reasons).toContain("expected answer");
  expect(answer.pauseMs).toBeLessThanOrEqual(ended("How can I help you?", "yes").pauseMs - 60);
});

test("the first digit of a number that was asked for is not answered as if it were all", () => {
  const begun = ended("What is your number?", "it is two");
  expect(begun.reasons).toContain("few digits");
  for (const [greeting, said] of [
    ["What is your number?", "it is two one seven two five"],
    ["How can I help you?", "it is two"],
  ] as const)
    expect(begun.pauseMs, said).toBeGreaterThan(ended(greeting, said).pauseMs + 100);
});
