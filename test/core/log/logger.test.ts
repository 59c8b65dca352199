import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { loggableError } from "../../../src/core/log/logger.ts";

test("of an error of ours its text is told, and nothing of what caused it", () => {
  const error = providerFailed("espeak", "hung", new Error("spoken words"));
  expect(loggableError(error)).toEqual({ why: "espeak: hung" });
});

test("of a foreign error its kind and its places are told, and none of its text, however it is laid out", () => {
  for (const text of ["spoken words", "spoken\n    at words (secret.ts:1:1)\n", ""]) {
    const told = loggableError(new RangeError(text));
    expect(told).toEqual({ why: "RangeError", at: expect.arrayContaining([expect.stringContaining("log.test.ts")]) });
    expect(JSON.stringify(told)).not.toMatch(/spoken|secret/);
  }
  const rewritten = Object.assign(new Error("other words"), { stack: "Error: spoken words\n    at secret.ts:1:1" });
  expect(loggableError(rewritten)).toEqual({ why: "Error", at: [] });
});

test("of what is no error at all only its type is told", () => {
  expect(loggableError("spoken words")).toEqual({ why: "string" });
  expect(loggableError(undefined)).toEqual({ why: "undefined" });
});
