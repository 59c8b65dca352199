import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cutText } from "../../../src/core/text/graphemes.ts";

describe("F14-3: a truncated text", () => {
  test.each([
    ["👋👋", 3, "👋"],
    ["e\u0301e\u0301", 3, "e\u0301"],
    ["👨‍👩‍👧x", 7, ""],
    ["कि", 1, ""],
    ["abc", 2, "ab"],
    ["abc", 3, "abc"],
  ])("%j, cut after at most %i units, is cut between characters", (text, charsMax, cut) => {
    // What is nothing but the beginning of one character is cut all the same, between code points.
    expect(cutText(`.${text}`, charsMax + 1)).toBe(`.${cut}`);
  });

  test("is never longer than its limit, and never ends within a character", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), fc.nat(50), (text, charsMax) => {
        const cut = cutText(text, charsMax);
        expect(cut.length).toBeLessThanOrEqual(charsMax);
        expect(text.startsWith(cut)).toBe(true);
        expect(Buffer.from(cut).toString()).toBe(cut);
      }),
    );
  });

  test("that is one character with endless combining marks is cut between these, without delay", () => {
    expect(cutText(`a${"\u0301".repeat(100_000)}`, 16_384)).toHaveLength(16_384);
  });
});
