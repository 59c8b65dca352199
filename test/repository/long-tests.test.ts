import { existsSync, readFileSync } from "node:fs";
import { matchesGlob } from "node:path";
import { expect, test } from "vitest";
import { longInPairs, longInParallel, longInTurn, longShared } from "../support/long-tests.ts";

const linesOf = (path: string): string[] => readFileSync(path, "utf8").trimEnd().split("\n");

test("every long test that takes real time is in .ci/long-tests, or in .ci/long-tests-left-out with a reason", () => {
  const run = linesOf(".ci/long-tests");
  const leftOut = linesOf(".ci/long-tests-left-out").map((line) => line.split(": "));
  expect(leftOut.filter(([, reason]) => reason === undefined || reason === "")).toEqual([]);
  const named = [...run, ...leftOut.map(([path]) => path)];
  expect(named.filter((path) => path === undefined || !existsSync(path))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
  expect([...longInTurn, ...longInPairs].filter((path) => !named.includes(path))).toEqual([]);
  const long = [...longInTurn, ...longInPairs, ...longInParallel, ...longShared];
  expect(named.filter((path) => !long.some((pattern) => matchesGlob(path ?? "", pattern)))).toEqual([]);
});
