import { describe, expect, test } from "vitest";
import { joinStretches, type Stretch } from "../../../src/transcription/join/overlap.ts";
import { joinProblems } from "../../support/transcription/join-check.ts";

/** A stretch whose words begin at these times and last for 200 ms. */
const stretch = (
  startMs: number,
  endMs: number,
  words: readonly (readonly [text: string, atMs: number])[],
): Stretch => ({
  startMs,
  endMs,
  hasEstimatedTimes: false,
  words: words.map(([text, atMs]) => ({ text, startMs: atMs, endMs: atMs + 200 })),
});
const joined = (before: Stretch, after: Stretch): string =>
  joinStretches(before, after)
    .map(({ text }) => text)
    .join(" ");

describe("the words of two parts that overlap", () => {
  test("are there once each, whatever the words, the cuts, the jitter and what the edges cut", () => {
    expect(joinProblems(2_000)).toEqual([]);
  });

  test("are equal without their case and punctuation", () => {
    const before = stretch(0, 10_000, [
      ["Good", 7_500],
      ["morning.", 8_500],
    ]);
    const after = stretch(7_000, 17_000, [
      ["good", 7_400],
      ["morning,", 8_600],
      ["Anna.", 9_500],
    ]);
    expect(joined(before, after)).toBe("Good morning. Anna.");
  });

  test("are divided where both agree, not where one has misheard a word", () => {
    const before = stretch(0, 10_000, [
      ["I", 7_800],
      ["saw", 8_300],
      ["there", 8_600],
      ["house", 9_900],
    ]);
    const after = stretch(7_000, 17_000, [
      ["I", 7_900],
      ["saw", 8_200],
      ["their", 8_700],
      ["houses", 9_700],
    ]);
    expect(joined(before, after)).toBe("I saw their houses");
  });

  test("are divided by time where no word is in both", () => {
    const before = stretch(0, 10_000, [
      ["one", 7_100],
      ["tw", 9_800],
    ]);
    const after = stretch(7_000, 17_000, [
      ["un", 7_000],
      ["two", 9_800],
      ["three", 11_000],
    ]);
    expect(joined(before, after)).toBe("one two three");
  });

  test("that are repeated are aligned by their times", () => {
    const times = [7_000, 7_700, 8_400, 9_100, 9_700];
    const before = stretch(0, 10_000, [...times.map((atMs) => ["no", atMs + 100] as const)]);
    const after = stretch(7_000, 17_000, [...times.map((atMs) => ["no", atMs - 50] as const), ["yes", 10_500]]);
    expect(joined(before, after)).toBe("no no no no no yes");
  });

  test("with estimated times are divided where both agree, however far their times are off", () => {
    const times = [
      ["the", 7_900],
      ["house", 8_700],
      ["is", 9_300],
    ] as const;
    const before = stretch(0, 10_000, [...times]);
    const after = stretch(7_000, 17_000, [...times.map(([text, atMs]) => [text, atMs - 900] as const), ["red", 9_000]]);
    const estimated = { hasEstimatedTimes: true };
    expect(joined({ ...before, ...estimated }, { ...after, ...estimated })).toBe("the house is red");
  });

  test("are divided by time where a part has more of them than anyone can say", () => {
    const many = Array.from({ length: 5_000 }, (_, at) => ["x", 7_000 + at * 0.6] as const);
    expect(joined(stretch(0, 10_000, many), stretch(7_000, 17_000, many)).split(" ")).toHaveLength(5_000);
  });
});
