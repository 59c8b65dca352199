import { describe, expect, test } from "vitest";
import { estimateWordTimes } from "../../../src/core/transcriptions/estimated-times.ts";

describe("estimated times of words", () => {
  test("are by letters: a longer word takes longer", () => {
    expect(estimateWordTimes("a four, a", [{ startMs: 1_000, endMs: 1_600 }], "en")).toEqual([
      { text: "a", startMs: 1_000, endMs: 1_100 },
      { text: "four,", startMs: 1_100, endMs: 1_500 },
      { text: "a", startMs: 1_500, endMs: 1_600 },
    ]);
  });

  test("are within the speech: a word begins after a pause and ends before one", () => {
    const spans = [
      { startMs: 0, endMs: 400 },
      { startMs: 1_000, endMs: 1_400 },
    ];
    expect(estimateWordTimes("good good", spans, "en")).toEqual([
      { text: "good", startMs: 0, endMs: 400 },
      { text: "good", startMs: 1_000, endMs: 1_400 },
    ]);
  });

  test("divide a text without spaces into its words", () => {
    const words = estimateWordTimes("你好，世界", [{ startMs: 0, endMs: 800 }], "zh");
    expect(words.map(({ text, startMs }) => [text, startMs])).toEqual([
      ["你好，", 0],
      ["世界", 400],
    ]);
  });

  test("of no text are none, and without speech all at 0", () => {
    expect(estimateWordTimes("", [{ startMs: 0, endMs: 800 }], "en")).toEqual([]);
    expect(estimateWordTimes("well", [], "en")).toEqual([{ text: "well", startMs: 0, endMs: 0 }]);
  });
});
