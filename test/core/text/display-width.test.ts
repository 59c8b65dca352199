import { expect, test } from "vitest";
import { displayWidth } from "../../../src/core/text/display-width.ts";

test.each([
  ["abc", 3],
  ["日本語。", 8],
  ["한국어", 6],
  ["कि", 2],
  ["ลิ", 1],
  ["é", 1],
  ["e\u0301", 1],
])("%s is %i columns wide", (text, columns) => {
  expect(displayWidth(text)).toBe(columns);
});
