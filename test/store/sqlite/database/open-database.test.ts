import { join } from "node:path";
import { expect, test } from "vitest";
import { openDatabase } from "../../../../src/store/sqlite/database/database.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

test("a database is opened while another connection writes to it, and returns freed space", () => {
  const path = join(temporaryDirectory(), "trunkline.db");
  const writing = openDatabase(path);
  writing.exec("CREATE TABLE things (id INTEGER)");
  writing.exec("BEGIN IMMEDIATE");
  writing.exec("INSERT INTO things VALUES (1)");
  const reading = openDatabase(path);
  expect(reading.prepare("SELECT * FROM things").all()).toEqual([]);
  expect(reading.prepare("PRAGMA auto_vacuum").all()).toEqual([{ auto_vacuum: 2 }]);
  writing.exec("COMMIT");
  expect(reading.prepare("SELECT * FROM things").all()).toEqual([{ id: 1 }]);
  reading.close();
  writing.close();
});
