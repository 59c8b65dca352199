import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { codeOf, systemErrorCodeOf, unavailable } from "../../src/core/errors.ts";

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return error;
  }
  return undefined;
}

test("the system's code is that of the error or of its cause", () => {
  const missing = thrownBy(() => readFileSync("no-such-folder/no-such-file"));
  expect(systemErrorCodeOf(missing)).toBe("ENOENT");
  expect(systemErrorCodeOf(unavailable("reading the file failed", missing))).toBe("ENOENT");
  expect(codeOf(unavailable("reading the file failed", missing))).toBe("unavailable");
});

test("errors of Node itself, of the service and of the language have no system code", () => {
  const nodeError = thrownBy(() => readFileSync("\0"));
  expect(nodeError).toHaveProperty("code", "ERR_INVALID_ARG_VALUE");
  expect(systemErrorCodeOf(nodeError)).toBeUndefined();
  expect(systemErrorCodeOf(unavailable("the renderer does not answer"))).toBeUndefined();
  expect(systemErrorCodeOf(new TypeError("not a function"))).toBeUndefined();
  expect(systemErrorCodeOf("ENOENT")).toBeUndefined();
  expect(codeOf(nodeError)).toBe("internal");
});
