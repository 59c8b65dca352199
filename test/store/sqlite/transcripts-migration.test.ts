import { join } from "node:path";
import { Kysely, Migrator, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { expect, test } from "vitest";
import { epochMs } from "../../../src/core/clocks.ts";
import { newId } from "../../../src/core/new-id.ts";
import { migrationsFor } from "../../../src/store/sql/migrations/migrations.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { SQLITE_COLUMN_TYPES } from "../../../src/store/sqlite/database/sqlite-database.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const MIGRATIONS = migrationsFor(SQLITE_COLUMN_TYPES);
const BEFORE = "0016-webhooks";

test("saved agents whose calls stored neither audio nor words store no words after the update", async () => {
  const database = new Libsql(join(temporaryDirectory(), "trunkline.db"));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  expect((await migrator.migrateTo(BEFORE)).error).toBeUndefined();
  const [accountId, created_at] = [newId("account"), epochMs(0)];
  await db.insertInto("accounts").values({ id: accountId, name: "default", created_at }).execute();
  const settings = [
    { greeting: 'Say "recordingEnabled":false' },
    { recordingEnabled: true, greeting: "Hello" },
    { recordingEnabled: false, temperature: 0.5 },
  ];
  for (const callSettings of settings) {
    await db
      .insertInto("agents")
      .values({
        ...{ id: newId("agent"), account_id: accountId, created_at, updated_at: created_at },
        ...{ name: '""', base_prompt: '""', context: '""', custom_instructions: '""' },
        ...{ language_id: "en-US", voice_id: "v", tool_ids: "[]", corpus_ids: "[]" },
        call_settings: JSON.stringify(callSettings),
        // Columns of a later migration.
      } as never)
      .execute();
  }
  expect((await migrator.migrateTo("0022-transcripts")).error).toBeUndefined();
  const rows = await db.selectFrom("agents").select("call_settings").orderBy("id").execute();
  expect(rows.map((row) => JSON.parse(row.call_settings))).toEqual([
    settings[0],
    settings[1],
    { ...settings[2], transcriptEnabled: false },
  ]);
  await db.destroy();
});
