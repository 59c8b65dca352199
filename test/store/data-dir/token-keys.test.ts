import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTokenKeys } from "../../../src/store/data-dir/token-keys.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const FILE = "token-keys.json";

test("ADV-M5: the first start creates a token key that only its owner can read, and later starts use it", () => {
  const dataDir = temporaryDirectory();
  const { current, previous } = openTokenKeys(dataDir);
  expect([Buffer.from(current, "base64url").length, previous]).toEqual([32, undefined]);
  expect(statSync(join(dataDir, FILE)).mode & 0o777).toBe(0o600);
  chmodSync(join(dataDir, FILE), 0o644);
  expect(openTokenKeys(dataDir)).toEqual({ current });
  expect(statSync(join(dataDir, FILE)).mode & 0o777).toBe(0o600);
  expect(openTokenKeys(temporaryDirectory()).current).not.toBe(current);
});
