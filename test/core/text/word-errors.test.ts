import { describe, expect, test } from "vitest";
import { comparableWords, sumOfErrors, wordErrorPercent, wordErrors } from "../../../src/core/text/word-errors.ts";

const errors = (reference: string, heard: string) => wordErrors(comparableWords(reference), comparableWords(heard));

describe("word error", () => {
  test.each([
    ["the same words", "he was not", "he was not", { substitutions: 0, deletions: 0, insertions: 0 }],
    ["a word misheard", "he was not", "he is not", { substitutions: 1, deletions: 0, insertions: 0 }],
    ["a word missed", "he was not", "he not", { substitutions: 0, deletions: 1, insertions: 0 }],
    ["a word too many", "he was not", "he was not there", { substitutions: 0, deletions: 0, insertions: 1 }],
    ["nothing understood", "he was not", "", { substitutions: 0, deletions: 3, insertions: 0 }],
    ["nothing said", "", "thank you", { substitutions: 0, deletions: 0, insertions: 2 }],
    [
      "two words swapped, unlike letters that a typist swaps",
      "a b c",
      "b a c",
      { substitutions: 2, deletions: 0, insertions: 0 },
    ],
    [
      "a word in front and one less at the end",
      "one two three",
      "zero one two",
      { substitutions: 0, deletions: 1, insertions: 1 },
    ],
  ])("%s", (_name, reference, heard, expected) => {
    expect(errors(reference, heard)).toEqual({ words: comparableWords(reference).length, ...expected });
  });

  test("is the share of the reference's words, and can be more than all of them", () => {
    expect(wordErrorPercent(errors("four", "for you know"))).toBe(300);
    expect(wordErrorPercent(sumOfErrors([errors("one two", "one"), errors("three four", "three four")]))).toBe(25);
  });
});

describe("words are compared", () => {
  test.each([
    ["And Mr. John Dashwood, had THEN", "and mister john dashwood had then"],
    ["I'm ill-disposed", "im ill disposed"],
    ["press 1, or 25", "press one or twenty five"],
    ["1,234 calls", "one thousand two hundred thirty four calls"],
    ["dial 0172", "dial zero one seven two"],
    ["“Dashwood’s,” said Dr. Who — हिन्दी…", "dashwoods said doctor who हिन्दी"],
  ])("%s as %s", (text, expected) => {
    expect(comparableWords(text).join(" ")).toBe(expected);
  });

  test("and digits stay in languages in which no number is spelled out", () => {
    expect(comparableWords("fra 25 minuti", { numbers: false })).toEqual(["fra", "25", "minuti"]);
    expect(comparableWords(" … ")).toEqual([]);
  });
});
