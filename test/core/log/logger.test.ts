import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { loggableError } from "../../../src/core/log/logger.ts";

test("of an error of ours its text is logged, and nothing of what caused it", () => {
  const error = providerFailed("espeak", "hung", new Error("spoken words"));
  expect(loggableError(error)).toEqual({ detail: "espeak: hung" });
});

test("of a foreign error only the class and the stack are logged, never its message, in any layout", () => {
  for (const text of ["spoken words", "spoken\n    at words (secret.ts:1:1)\n", ""]) {
    const logged = loggableError(new RangeError(text));
    expect(logged).toEqual({
      detail: "RangeError",
      stack: expect.arrayContaining([expect.stringContaining("logger.test.ts")]),
    });
    expect(JSON.stringify(logged)).not.toMatch(/spoken|secret/);
  }
  const rewritten = Object.assign(new Error("other words"), { stack: "Error: spoken words\n    at secret.ts:1:1" });
  expect(loggableError(rewritten)).toEqual({ detail: "Error", stack: [] });
});

test("of what is no error at all only its type is logged", () => {
  expect(loggableError("spoken words")).toEqual({ detail: "string" });
  expect(loggableError(undefined)).toEqual({ detail: "undefined" });
});
