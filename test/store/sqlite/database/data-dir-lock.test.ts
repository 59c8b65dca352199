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

test("a lock that nobody looks at is held all the same, whatever the collector does", async () => {
  const directory = temporaryDirectory();
  lockDataDir(directory);
  for (let round = 0; round < 5; round += 1) {
    collectGarbage();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(() => lockDataDir(directory)).toThrow("is in use");
});

test("the lock is its owner's alone, also one that others could read: who can read it can hold it", () => {
  const directory = temporaryDirectory();
  const path = join(directory, "service.lock");
  lockDataDir(directory).release();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  lockDataDir(directory).release();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});
