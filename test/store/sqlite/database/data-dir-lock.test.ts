import { chmodSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lockDataDir } from "../../../../src/store/sqlite/database/data-dir-lock.ts";
import { collectGarbage } from "../../../support/heap.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

test("a data directory belongs to one service at a time", () => {
  const directory = temporaryDirectory();
  const lock = lockDataDir(directory);
  expect(() => lockDataDir(directory)).toThrow(`DATA_DIR ${JSON.stringify(directory)} is in use by another service`);
  lock.release();
  lockDataDir(directory).release();
});

test("an unreferenced lock is still held after a garbage collection", async () => {
  const directory = temporaryDirectory();
  lockDataDir(directory);
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(() => lockDataDir(directory)).toThrow("is in use");
});

test("only its owner can read the lock file, also one that others could read: a reader could hold the lock", () => {
  const directory = temporaryDirectory();
  const path = join(directory, "service.lock");
  lockDataDir(directory).release();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  lockDataDir(directory).release();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
