import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Kysely, Migrator, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { expect, test } from "vitest";
import { migrationsFor } from "../../../src/store/sql/migrations/migrations.ts";
import { SQLITE_COLUMN_TYPES } from "../../../src/store/sqlite/database/sqlite-database.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";

const MIGRATIONS = migrationsFor(SQLITE_COLUMN_TYPES);

/** Every statement of the schema, in the order of creation. */
function schemaOf(path: string): string {
  const file = new Libsql(path);
  const rows = file.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid").all();
  file.close();
  return rows.map((row) => `${(row as { sql: string }).sql};\n`).join("");
}

test.each([
  "a new database",
  ...Object.keys(MIGRATIONS),
])("the migrations of released versions give the recorded schema, from %s on", async (version) => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const path = join(directory, "trunkline.db");
  if (version in MIGRATIONS) {
    const db = new Kysely({ dialect: new SqliteDialect({ database: new Libsql(path) }) });
    const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
    expect((await migrator.migrateTo(version)).error).toBeUndefined();
    await db.destroy();
  }
  await (await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) })).close();
  expect(schemaOf(path)).toBe(readFileSync(new URL("../../../fixtures/sqlite/schema.sql", import.meta.url), "utf8"));
});
