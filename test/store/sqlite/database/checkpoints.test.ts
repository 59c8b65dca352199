import { copyFileSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/core/clock.ts";
import { openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";

/** The accounts in the database without its log. */
function accountsWrittenBack(directory: string): unknown[] {
  const copy = join(temporaryDirectory(), "copy.db");
  copyFileSync(join(directory, "trunkline.db"), copy);
  const file = new Libsql(copy);
  try {
    return file.prepare("SELECT name FROM accounts").all();
  } finally {
    file.close();
  }
}

test("a service's log is written back by a thread, which ends with the stores", async () => {
  const directory = temporaryDirectory();
  const stores = await openSqliteStores(directory, systemClock, { isService: true });
  await stores.accounts.ensure("first");
  await expect.poll(() => accountsWrittenBack(directory), { timeout: 20_000 }).toEqual([{ name: "first" }]);
  await stores.close();
});
