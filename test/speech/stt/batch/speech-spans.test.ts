import { describe, expect, test } from "vitest";
import { durationMsOf, soundSpans, speechSpans } from "../../../../src/speech/stt/batch/speech-spans.ts";

/** Audio of these levels, a second each. */
const levels = (...all: readonly number[]): Int16Array =>
  Int16Array.from({ length: all.length * 16_000 }, (_, at) => all[Math.floor(at / 16_000)] ?? 0);

describe("the sound in a part of a recording", () => {
  test("is where it can be heard, however quiet beside the rest", () => {
    expect(soundSpans(levels(0, 3_000, 0, 50, 0), 500)).toEqual([
      { startMs: 1_000, endMs: 2_000 },
      { startMs: 3_000, endMs: 4_000 },
    ]);
    expect(soundSpans(levels(3_000, 0, 50), 1_020)).toEqual([{ startMs: 0, endMs: 3_000 }]);
  });

  test("is nowhere in silence, in noise that is none, and without audio", () => {
    expect(soundSpans(levels(0, 20), 500)).toEqual([]);
    expect(soundSpans(new Int16Array(0), 500)).toEqual([]);
    expect(speechSpans(new Int16Array(0))).toEqual([]);
  });

  test("is speech where it is not much quieter than the rest", () => {
    expect(speechSpans(levels(3_000, 100, 1_000))).toEqual([
      { startMs: 0, endMs: 1_000 },
      { startMs: 2_000, endMs: 3_000 },
    ]);
  });

  test("has the length of its samples", () => {
    expect(durationMsOf(levels(0, 0))).toBe(2_000);
  });
});
