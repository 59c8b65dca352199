import { expect, test } from "vitest";
import { repeatableArguments } from "../../../bench/harness/command.ts";

test("the command in bench/RESULTS.md names no folder of the machine that it ran on", () => {
  const args = ["--minutes", "10", "--cache", "/srv/speech", "--write", "--out=/srv/out", "--seed", "2", "--fetch"];
  expect(repeatableArguments(args)).toEqual(["--minutes", "10", "--seed", "2", "--fetch"]);
  expect(repeatableArguments(["--write"])).toEqual([]);
});
