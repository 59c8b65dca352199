import { expect, test } from "vitest";
import { HUMAN } from "../../../src/cli/demo/human.ts";
import { comparableWords } from "../../../src/core/text/word-errors.ts";
import { TELEPHONE } from "../../../src/simulator/audio/format.ts";
import { createReferenceLlm } from "../../../src/speech/reference/llm.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { INLINE_TOOL_CHOICE } from "../../support/stubs/inline-schemas.ts";

const NEVER = new AbortController().signal;
const llm = createReferenceLlm(INLINE_TOOL_CHOICE);

async function answerTo(text: string): Promise<string> {
  const messages = [
    { role: "system", text: HUMAN.systemPrompt },
    { role: "user", text },
  ] as const;
  let answer = "";
  for await (const event of llm.reply({ messages, tools: [], temperature: 0, language: "en-GB" }, NEVER)) {
    if (event.kind === "text") answer += event.text;
  }
  return answer;
}

test("the recordings are five lines of 24 s in the telephone's format, each with the background after its last word", async () => {
  const utterances = await HUMAN.speak(new ManualClock(), NEVER);
  expect(utterances.map(({ text }) => text)).toEqual(HUMAN.lines.map(({ text }) => text));
  for (const { format, tail } of utterances) {
    expect(format).toEqual(TELEPHONE);
    expect(tail?.length).toBeGreaterThanOrEqual(10);
  }
  const durationsMs = utterances.map(({ frames, tail }) => 20 * (frames.length + (tail?.length ?? 0)));
  expect(durationsMs).toEqual([7_100, 3_000, 5_300, 6_060, 3_300]);
});

test("the reference LLM answers each line with a sentence of its own, also where two of its words are not understood", async () => {
  const sentences = HUMAN.systemPrompt.split("\n").slice(1);
  const answers = await Promise.all(HUMAN.lines.map(({ text }) => answerTo(text)));
  expect(answers).toEqual(sentences);
  for (const [index, { text }] of HUMAN.lines.entries()) {
    const words = comparableWords(text);
    expect(await answerTo(words.toSpliced(1, 2).join(" "))).toBe(sentences[index]);
  }
});

test("the last line interrupts an answer that is longer than what the caller listens to", async () => {
  expect(HUMAN.lines.map(({ interrupts }) => interrupts)).toEqual([false, false, false, false, true]);
  const interrupted = await answerTo(HUMAN.lines[3]?.text ?? "");
  expect(comparableWords(interrupted).length).toBeGreaterThan(3 * HUMAN.interruptAfterWords);
});
