import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SOFTWARE } from "../../../src/core/runtime/version.ts";

test("journals contain the name and the version of the package", () => {
  const { name, version } = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));
  expect(SOFTWARE).toBe(`${name}/${version}`);
});
