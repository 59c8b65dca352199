import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSpeakable, WordAlignment } from "../../../src/speech/tts/word-alignment.ts";

type Timestamp = readonly [word: string, startMs: number, endMs: number];

function aligned(text: string, timestamps: readonly Timestamp[], endMs: number): [string, number, number][] {
  const alignment = new WordAlignment(text);
  for (const [word, startMs, wordEndMs] of timestamps) alignment.addTimestamp(word, startMs, wordEndMs);
  alignment.finish(endMs);
  return alignment.takeAligned().map((word) => [word.text, word.startMs, word.endMs]);
}

describe("words", () => {
  test.each<[string, string, Timestamp[], Timestamp[]]>([
    [
      "reported as they are",
      "One two.",
      [
        ["One", 0, 100],
        ["two", 150, 300],
      ],
      [
        ["One", 0, 100],
        ["two.", 150, 300],
      ],
    ],
    ["reported in another case, without punctuation", "(Don't!)", [["don't", 10, 90]], [["(Don't!)", 10, 90]]],
    [
      "reported in parts",
      "well-known",
      [
        ["well", 0, 100],
        ["known", 120, 200],
      ],
      [["well-known", 0, 200]],
    ],
    [
      "reported several as one",
      "New York",
      [["NewYork", 0, 700]],
      [
        ["New", 0, 300],
        ["York", 300, 700],
      ],
    ],
    [
      "read out differently",
      "is $5 now",
      [
        ["is", 0, 100],
        ["five", 100, 200],
        ["dollars", 200, 400],
        ["now", 400, 500],
      ],
      [
        ["is", 0, 100],
        ["$5", 100, 400],
        ["now", 400, 500],
      ],
    ],
    [
      "that consist of punctuation",
      "Yes — no",
      [
        ["yes", 0, 100],
        ["no", 300, 400],
      ],
      [
        ["Yes", 0, 100],
        ["—", 100, 101],
        ["no", 300, 400],
      ],
    ],
    [
      "without any timestamps",
      "ab cdef",
      [],
      [
        ["ab", 0, 1_000 / 3],
        ["cdef", 1_000 / 3, 1_000],
      ],
    ],
    [
      "of which the last have no timestamps",
      "ab cd",
      [["ab", 0, 100]],
      [
        ["ab", 0, 100],
        ["cd", 100, 1_000],
      ],
    ],
    ["reported half when the speech ends", "abcd", [["ab", 100, 200]], [["abcd", 100, 1_000]]],
    [
      "reported twice",
      "one two",
      [
        ["one", 0, 100],
        ["one", 0, 120],
        ["two", 120, 200],
      ],
      [
        ["one", 0, 100],
        ["two", 120, 200],
      ],
    ],
    [
      "reported out of order",
      "one two",
      [
        ["two", 300, 400],
        ["one", 0, 100],
      ],
      [
        ["one", 0, 300],
        ["two", 300, 400],
      ],
    ],
    [
      "with no duration",
      "one two",
      [
        ["one", 100, 100],
        ["two", 100, 90],
      ],
      [
        ["one", 100, 101],
        ["two", 100, 101],
      ],
    ],
  ])("%s", (_what, text, timestamps, expected) => {
    const words = aligned(text, timestamps, 1_000);
    expect(words.map(([word]) => word)).toEqual(expected.map(([word]) => word));
    for (const [index, [, startMs, endMs]] of words.entries()) {
      expect(startMs).toBeCloseTo(expected[index]?.[1] ?? Number.NaN);
      expect(endMs).toBeCloseTo(expected[index]?.[2] ?? Number.NaN);
    }
  });

  test("are each aligned once, in order, whatever the timestamps", () => {
    const word = fc.constantFrom("one", "two", "one,", "—", "a", "apple", "Über", "$5", "5");
    const time = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.tuple(word, time, time)), time, (words, timestamps, endMs) => {
        const result = aligned(words.join(" "), timestamps, endMs);
        expect(result.map(([text]) => text)).toEqual(words);
        let before: readonly [number, number] = [0, 0];
        for (const [, startMs, wordEndMs] of result) {
          expect(startMs).toBeGreaterThanOrEqual(before[0]);
          expect(wordEndMs).toBeGreaterThanOrEqual(before[1]);
          expect(wordEndMs).toBeGreaterThan(startMs);
          before = [startMs, wordEndMs];
        }
      }),
    );
  });

  test("are aligned as soon as all their letters are reported", () => {
    const alignment = new WordAlignment("One two three.");
    alignment.addTimestamp("One", 0, 100);
    alignment.addTimestamp("tw", 100, 150);
    expect(alignment.takeAligned().map(({ text }) => text)).toEqual(["One"]);
    alignment.addTimestamp("o", 150, 200);
    expect(alignment.takeAligned()).toEqual([{ text: "two", startMs: 100, endMs: 200 }]);
  });
});

test("text is speakable if it has letters or digits of any script", () => {
  expect(["a", "7", "你", "é", "— x"].map(isSpeakable)).toEqual([true, true, true, true, true]);
  expect(["", "...", " — ", "🙂", "\n"].map(isSpeakable)).toEqual([false, false, false, false, false]);
});
