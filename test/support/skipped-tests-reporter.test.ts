import { expect, test } from "vitest";
import { skippedText } from "./skipped-tests-reporter.ts";

test("a run in which nothing was skipped ends without a word about it", () => {
  expect(skippedText([])).toBe("");
});

test("skipped tests are counted by the tools that they need, and those that name no tool are listed", () => {
  const text = skippedText([
    "recording > opens in sox (only where sox is installed)",
    "recording rates > opens in sox (only where sox is installed)",
    "behind nginx (only where nginx and openssl are installed) > a call",
    "D4: with more unauthenticated connections than descriptors",
  ]);
  expect(text).toBe(
    [
      "Not everything was tested: 4 tests skipped.",
      "  1 test: not installed: nginx and openssl",
      "  2 tests: not installed: sox",
      "  D4: with more unauthenticated connections than descriptors",
    ].join("\n"),
  );
});
