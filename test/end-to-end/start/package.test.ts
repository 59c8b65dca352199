import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

interface Packed {
  files: readonly { path: string }[];
}

test("npm pack has the build, with the dashboard, the pages and the SDK, and no source", () => {
  // The build is there: without this option it would be made again.
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const [packed] = JSON.parse(execFileSync("npm", args, { cwd: PROJECT, encoding: "utf8" })) as [Packed];
  const paths = packed.files.map(({ path }) => path);
  for (const path of ["dist/main.js", "dist/cli/admin.js", "scripts/start.mjs", "scripts/remove-unused.mjs"])
    expect(paths).toContain(path);
  for (const folder of ["dashboard", "pages", "sdk"])
    expect(paths.some((path) => path.startsWith(`dist/web/${folder}/`))).toBe(true);
  expect(paths.filter((path) => /^(src|test|bench|web)\//.test(path))).toEqual([]);
  expect(paths.filter((path) => !existsSync(join(PROJECT, path)))).toEqual([]);
});
