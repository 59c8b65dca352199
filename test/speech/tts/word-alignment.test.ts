import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isSpeakable, WordAlignment } from "../../../src/speech/tts/word-alignment.ts";

type Told = readonly [said: string, startMs: number, endMs: number];

function placed(text: string, told: readonly Told[], endMs: number): [string, number, number][] {
  const places = new WordAlignment(text);
  for (const [said, startMs, wordEndMs] of told) places.addTimestamp(said, startMs, wordEndMs);
  places.finish(endMs);
  return places.takeAligned().map((word) => [word.text, word.startMs, word.endMs]);
}

describe("words", () => {
  test.each<[string, string, Told[], Told[]]>([
    [
      "told as they are",
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
    ["told in another case, without punctuation", "(Don't!)", [["don't", 10, 90]], [["(Don't!)", 10, 90]]],
    [
      "told in parts",
      "well-known",
      [
        ["well", 0, 100],
        ["known", 120, 200],
      ],
      [["well-known", 0, 200]],
    ],
    [
      "several told as one",
      "New York",
      [["NewYork", 0, 700]],
      [
        ["New", 0, 300],
        ["York", 300, 700],
      ],
    ],
    [
      "read out otherwise",
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
      "that are no words",
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
      "told not at all",
      "ab cdef",
      [],
      [
        ["ab", 0, 1_000 / 3],
        ["cdef", 1_000 / 3, 1_000],
      ],
    ],
    [
      "of which the last are not told",
      "ab cd",
      [["ab", 0, 100]],
      [
        ["ab", 0, 100],
        ["cd", 100, 1_000],
      ],
    ],
    ["told half when the speech is over", "abcd", [["ab", 100, 200]], [["abcd", 100, 1_000]]],
    [
      "told twice",
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
      "told when it was not their turn",
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
      "of no length",
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
  ])("%s", (_what, text, told, expected) => {
    const words = placed(text, told, 1_000);
    expect(words.map(([word]) => word)).toEqual(expected.map(([word]) => word));
    for (const [index, [, startMs, endMs]] of words.entries()) {
      expect(startMs).toBeCloseTo(expected[index]?.[1] ?? Number.NaN);
      expect(endMs).toBeCloseTo(expected[index]?.[2] ?? Number.NaN);
    }
  });

  test("are all placed once, in order, whatever is told", () => {
    const word = fc.constantFrom("one", "two", "one,", "—", "a", "apple", "Über", "$5", "5");
    const time = fc.integer({ min: 0, max: 5_000 });
    fc.assert(
      fc.property(fc.array(word), fc.array(fc.tuple(word, time, time)), time, (words, told, endMs) => {
        const places = placed(words.join(" "), told, endMs);
        expect(places.map(([text]) => text)).toEqual(words);
        let before: readonly [number, number] = [0, 0];
        for (const [, startMs, wordEndMs] of places) {
          expect(startMs).toBeGreaterThanOrEqual(before[0]);
          expect(wordEndMs).toBeGreaterThanOrEqual(before[1]);
          expect(wordEndMs).toBeGreaterThan(startMs);
          before = [startMs, wordEndMs];
        }
      }),
    );
  });

  test("are known as soon as they were told whole", () => {
    const places = new WordAlignment("One two three.");
    places.addTimestamp("One", 0, 100);
    places.addTimestamp("tw", 100, 150);
    expect(places.takeAligned().map(({ text }) => text)).toEqual(["One"]);
    places.addTimestamp("o", 150, 200);
    expect(places.takeAligned()).toEqual([{ text: "two", startMs: 100, endMs: 200 }]);
  });
});

test("there is something to be spoken in letters and digits of any script, and in nothing else", () => {
  expect(["a", "7", "你", "é", "— x"].map(isSpeakable)).toEqual([true, true, true, true, true]);
  expect(["", "...", " — ", "🙂", "\n"].map(isSpeakable)).toEqual([false, false, false, false, false]);
});
