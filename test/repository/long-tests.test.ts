import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { longInPairs, longInTurn } from "../support/long-tests.ts";

const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

test("every long test that takes real time is in .ci/long-tests, or in .ci/long-tests-left-out with a reason", () => {
  const run = linesOf(".ci/long-tests");
  const leftOut = linesOf(".ci/long-tests-left-out").map((line) => line.split(": "));
  expect(leftOut.filter(([, reason]) => reason === undefined || reason === "")).toEqual([]);
  const named = [...run, ...leftOut.map(([path]) => path)];
  expect(named.filter((path) => path === undefined || !existsSync(path))).toEqual([]);
  expect(named.toSorted()).toEqual([...longInTurn, ...longInPairs].toSorted());
});
