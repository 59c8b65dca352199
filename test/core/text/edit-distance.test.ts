import { expect, test } from "vitest";
import { editDistance, nearestOf } from "../../../src/core/text/edit-distance.ts";

test.each([
  ["", "", 0],
  ["name", "name", 0],
  ["nam", "name", 1],
  ["names", "name", 1],
  ["nome", "name", 1],
  ["nmae", "name", 1],
  ["", "name", 4],
  ["wire", "rate", 3],
])("from %j to %j it is %d characters, either way", (a, b, distance) => {
  expect([editDistance(a, b), editDistance(b, a)]).toEqual([distance, distance]);
});

test("the nearest text is the first with the least distance, or none if all are too far", () => {
  expect(nearestOf("nmae", ["wire", "name", "mae"], 2)).toBe("name");
  expect(nearestOf("rat", ["wire", "say"], 2)).toBe("say");
  expect(nearestOf("nonsense", ["wire", "say"], 2)).toBeUndefined();
});
