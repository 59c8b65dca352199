import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test("every file that .ci/long-tests names is there, once", () => {
  const names = readFileSync(".ci/long-tests", "utf8").trimEnd().split("\n");
  expect(names.filter((name) => !existsSync(name))).toEqual([]);
  expect(names).toEqual([...new Set(names)].sort());
});
