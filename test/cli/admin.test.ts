import { execFile } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTokenKeys } from "../../src/store/data-dir/token-keys.ts";
import { builtProgram } from "../support/services/build.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

test("ADV-M5: `admin rotate-token-key` creates another token key, retains the previous one, and shows neither", async () => {
  const dataDir = temporaryDirectory();
  const before = openTokenKeys(dataDir);
  const output = await new Promise<{ code: number; text: string }>((resolve) => {
    const args = [builtProgram("cli/admin"), "rotate-token-key", "--data-dir", dataDir];
    execFile(process.execPath, args, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
    );
  });
  const after = openTokenKeys(dataDir);
  expect(output.code).toBe(0);
  expect(output.text).toMatch(/^token key rotated: .*\n$/);
  expect(after.previous).toBe(before.current);
  expect(after.current).not.toBe(before.current);
  for (const key of [after.current, before.current]) expect(output.text).not.toContain(key);
  expect(statSync(join(dataDir, "token-keys.json")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(dataDir, "token-keys.json"), "utf8")).toContain(after.current);
});
