import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SOFTWARE } from "../../src/core/version.ts";

test("journals carry the name and the version that the package has", () => {
  const { name, version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"));
  expect(SOFTWARE).toBe(`${name}/${version}`);
});
