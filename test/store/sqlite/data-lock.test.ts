import { expect, test } from "vitest";
import { lockDataDir } from "../../../src/store/sqlite/data-lock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

test("a data directory belongs to one service at a time", () => {
  const directory = temporaryDirectory();
  const lock = lockDataDir(directory);
  expect(() => lockDataDir(directory)).toThrow(`DATA_DIR ${JSON.stringify(directory)} is in use by another service`);
  lock.release();
  lockDataDir(directory).release();
});
