import { describe, expect, test } from "vitest";
import { diffLines, type LineBlock } from "../../../src/api/agents/line-diff.ts";
import { Random } from "../../support/random.ts";

const textOf = (blocks: readonly LineBlock[], without: LineBlock["change"]): string =>
  blocks
    .filter(({ change }) => change !== without)
    .map(({ text }) => text)
    .join("");
const changedLines = (blocks: readonly LineBlock[]): number =>
  blocks
    .filter(({ change }) => change !== "same")
    .reduce((sum, { text }) => sum + (text.match(/[^\n]*\n|[^\n]+/g) ?? []).length, 0);

describe("the lines of two texts", () => {
  test.each([
    ["", "", []],
    ["a\n", "a\n", [{ change: "same", text: "a\n" }]],
    ["", "a", [{ change: "added", text: "a" }]],
    ["a", "", [{ change: "removed", text: "a" }]],
    [
      "a",
      "a\n",
      [
        { change: "removed", text: "a" },
        { change: "added", text: "a\n" },
      ],
    ],
    [
      "a\nb\nc\n",
      "a\nx\nc\n",
      [
        { change: "same", text: "a\n" },
        { change: "removed", text: "b\n" },
        { change: "added", text: "x\n" },
        { change: "same", text: "c\n" },
      ],
    ],
  ])("%j and %j", (before, after, blocks) => {
    expect(diffLines(before, after, 100)).toEqual(blocks);
  });

  test("are all there, in both texts, with as few changes as there can be", () => {
    const random = new Random(1);
    for (let round = 0; round < 300; round++) {
      const lines = Array.from({ length: random.whole(0, 12) }, () => `${random.whole(0, 3)}\n`);
      const other = Array.from({ length: random.whole(0, 12) }, () => `${random.whole(0, 3)}\n`);
      const blocks = diffLines(lines.join(""), other.join(""), 100);
      expect(textOf(blocks, "added")).toBe(lines.join(""));
      expect(textOf(blocks, "removed")).toBe(other.join(""));
      expect(changedLines(blocks)).toBe(lines.length + other.length - 2 * longestCommon(lines, other));
    }
  });

  test("of texts with more changes than are looked for are still all there", () => {
    const lines = (from: number) => Array.from({ length: 5_000 }, (_, index) => `${from + index * 2}\n`).join("");
    const blocks = diffLines(`same\n${lines(0)}end`, `same\n${lines(1)}end`, 100);
    expect(blocks.map(({ change }) => change)).toEqual(["same", "removed", "added", "same"]);
    expect(textOf(blocks, "added")).toBe(`same\n${lines(0)}end`);
  });
});

/** The length of the longest common subsequence, by the table that defines it. */
function longestCommon(one: readonly string[], other: readonly string[]): number {
  const table = Array.from({ length: one.length + 1 }, () => new Array<number>(other.length + 1).fill(0));
  const valueAt = (row: number, column: number): number => table[row]?.[column] ?? 0;
  for (let row = 1; row <= one.length; row++) {
    for (let column = 1; column <= other.length; column++) {
      (table[row] as number[])[column] =
        one[row - 1] === other[column - 1]
          ? valueAt(row - 1, column - 1) + 1
          : Math.max(valueAt(row - 1, column), valueAt(row, column - 1));
    }
  }
  return valueAt(one.length, other.length);
}
