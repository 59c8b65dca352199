import { expect, test } from "vitest";
import type { TtsChunk } from "../../../src/speech/contracts.ts";
import { ResumePoint } from "../../../src/speech/tts/resume-point.ts";

const chunk = (ms: number, ...words: readonly [text: string, startMs: number, endMs: number][]): TtsChunk => ({
  samples: new Int16Array(ms),
  rateHz: 1_000,
  words: words.map(([text, startMs, endMs]) => ({ text, startMs, endMs })),
});

test("a word is emitted with the audio it begins in, however early its timestamp arrived", () => {
  const speech = new ResumePoint("good morning to you");
  const known = chunk(100, ["good", 0, 90], ["morning", 100, 250], ["to", 260, 300], ["you", 300, 400]);
  expect(speech.add(known).words.map(({ text }) => text)).toEqual(["good"]);
  expect(speech.add(chunk(100)).words.map(({ text }) => text)).toEqual(["morning"]);
  expect(speech.end().map(({ text }) => text)).toEqual(["to", "you"]);
});

test("an interrupted word is repeated but emitted once, and later words have the times at which they are heard", () => {
  const speech = new ResumePoint("good morning to you");
  speech.add(chunk(200, ["good", 0, 90], ["morning", 100, 250]));
  expect(speech.resumeAfterFailure()).toBe(true);
  expect(speech.text).toBe("morning to you");
  const { words } = speech.add(chunk(300, ["morning", 0, 150], ["to", 160, 200], ["you", 200, 300]));
  expect(words).toEqual([
    { text: "to", startMs: 360, endMs: 400 },
    { text: "you", startMs: 400, endMs: 500 },
  ]);
});

test("a timestamp that covers several words counts as several words", () => {
  const speech = new ResumePoint("it costs 5 € today");
  speech.add(chunk(400, ["it", 0, 50], ["costs", 50, 200], ["5 €", 200, 400]));
  expect([speech.resumeAfterFailure(), speech.text]).toEqual([true, "today"]);
});

test("after all words the remaining text is empty, and without timestamps it is the whole text", () => {
  const whole = new ResumePoint("good morning");
  whole.add(chunk(300, ["good", 0, 90], ["morning", 100, 250]));
  expect(whole.resumeAfterFailure()).toBe(false);
  const withoutWords = new ResumePoint("good morning");
  withoutWords.add(chunk(300));
  expect([withoutWords.resumeAfterFailure(), withoutWords.text]).toEqual([true, "good morning"]);
});
