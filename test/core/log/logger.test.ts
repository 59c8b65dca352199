import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { loggableError } from "../../../src/core/log/logger.ts";

test("the log has the message of the service's own errors, but not that of their cause", () => {
  const error = providerFailed("espeak", "hung", new Error("spoken words"));
  expect(loggableError(error)).toEqual({ detail: "espeak: hung" });
});

test("the log has the class and the stack of other errors, never their message", () => {
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

test("the log has only the type of a thrown value that is not an error", () => {
  expect(loggableError("spoken words")).toEqual({ detail: "string" });
  expect(loggableError(undefined)).toEqual({ detail: "undefined" });
});
