import { describe, expect, test } from "vitest";
import { type Evidence, refusalOf } from "../../../../src/speech/local/engine/invented-words.ts";

const SPOKEN: Evidence = {
  speechMs: 2_000,
  tokens: [5, 9, 12, 31, 7, 2_000, 16],
  averageLogProbability: -0.2,
  isAtLimit: false,
};

describe("the guard against invented words", () => {
  test("lets a sentence pass, also one of which the model is not sure", () => {
    expect(refusalOf(SPOKEN)).toBeUndefined();
    expect(refusalOf({ ...SPOKEN, averageLogProbability: -1.2 })).toBeUndefined();
  });

  test("lets a single word pass that is shorter than its tokens say", () => {
    expect(refusalOf({ ...SPOKEN, speechMs: 224, tokens: [5, 9, 12, 31] })).toBeUndefined();
  });

  test("lets a number pass in which a digit is said several times", () => {
    expect(refusalOf({ ...SPOKEN, tokens: [5, 1_023, 1_023, 1_023, 1_023, 12] })).toBeUndefined();
  });

  test.each([
    ["words that the model thinks improbable", { averageLogProbability: -1.7 }, "improbable"],
    ["more words than can be said in that time", { speechMs: 300, tokens: [5, 9, 12, 31, 7, 40] }, "too_fast"],
    [
      "a phrase over and over",
      { tokens: Array.from({ length: 24 }, (_, at) => [7, 12, 31, 9][at % 4] as number) },
      "repeated",
    ],
    ["a text that has no end", { isAtLimit: true }, "endless"],
  ] as const)("refuses %s", (_name, evidence, reason) => {
    expect(refusalOf({ ...SPOKEN, ...evidence })).toBe(reason);
  });
});
