import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packageFolder } from "../../../src/core/runtime/installed-package.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("a package counts as installed if its folder exists, even if it is empty", () => {
  const tree = temporaryDirectory();
  const from = join(tree, "dist/worker.js");
  expect(packageFolder("@discordjs/opus", from)).toBeUndefined();
  const folder = join(tree, "node_modules/@discordjs/opus");
  mkdirSync(folder, { recursive: true });
  expect(packageFolder("@discordjs/opus", from)).toBe(folder);
});
