import { join } from "node:path";
import { Kysely, Migrator, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import { Pool } from "../../src/store/postgres/pool.ts";
import { PostgresDatabase } from "../../src/store/postgres/postgres-database.ts";
import { migrationsFor } from "../../src/store/sql/migrations/migrations.ts";
import { SQLITE_COLUMN_TYPES } from "../../src/store/sqlite/database/sqlite-database.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { postgresServer } from "../support/stores/every-store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const NAMES = Object.keys(migrationsFor(SQLITE_COLUMN_TYPES));
const LAST = NAMES.at(-1) ?? "";
const BEFORE = NAMES.at(-2) ?? "";
const NEXT = "INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-next-version', '2027-01-01T00:00:00.000Z')";
const APPLIED = "SELECT name FROM kysely_migration ORDER BY name";

interface Subject {
  place: StorePlace;
  query: (statement: string) => Promise<readonly unknown[]>;
  /** Makes the schema of the version before this one. */
  makeOlder: () => Promise<void>;
}

async function sqlite(): Promise<Subject> {
  const place = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  const path = join(place.dataDir, "trunkline.db");
  return {
    place,
    query: async (statement) => {
      const file = new Libsql(path);
      try {
        const prepared = file.prepare(statement);
        return prepared.reader ? prepared.all() : [prepared.run()];
      } finally {
        file.close();
      }
    },
    makeOlder: () =>
      migrateTo(new Kysely({ dialect: new SqliteDialect({ database: new Libsql(path) }) }), SQLITE_COLUMN_TYPES),
  };
}

async function postgres(): Promise<Subject> {
  const server = await postgresServer();
  const url = await server.createDatabase();
  const database = new PostgresDatabase(new Pool({ url, connectionsMax: 2, clock: systemClock, limitsQueries: false }));
  return {
    place: { dataDir: temporaryDirectory(), databaseUrl: url },
    query: (statement) => server.query(statement, url),
    makeOlder: () => migrateTo(database.db, database.columnTypes),
  };
}

async function migrateTo<T>(db: Kysely<T>, types: typeof SQLITE_COLUMN_TYPES): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsFor(types) } });
  expect((await migrator.migrateTo(BEFORE)).error).toBeUndefined();
  await db.destroy();
}

describe.each([
  ["SQLite", true, sqlite],
  ["Postgres (only where postgresql is installed)", hasPostgres, postgres],
] as const)("stores that are opened beside a service, on %s", (_, isHere, makeSubject) => {
  test.skipIf(!isHere)("refuse the schema of an earlier version in one line, and change nothing", async () => {
    const { place, query, makeOlder } = await makeSubject();
    await makeOlder();
    const before = await query(APPLIED);
    await expect(openStores(place, systemClock, { migrates: false })).rejects.toMatchObject({
      code: "bad_configuration",
      message: expect.stringMatching(
        `^the database has the schema of an earlier version \\(without ${LAST}\\)[^\\n]*$`,
      ),
    });
    expect(await query(APPLIED)).toEqual(before);
    await (await openStores(place, systemClock)).close();
    await (await openStores(place, systemClock, { migrates: false })).close();
  });

  test.skipIf(!isHere)("refuse that of a later version, and make that of a new database", async () => {
    const { place, query } = await makeSubject();
    await (await openStores(place, systemClock, { migrates: false })).close();
    await query(NEXT);
    await expect(openStores(place, systemClock, { migrates: false })).rejects.toThrow(
      "the database has the schema of a later version (9999-next-version)",
    );
  });

  test.skipIf(!isHere)("and those of a service refuse a half-filled database in one line", async () => {
    const { place } = await makeSubject();
    const stores = await openStores(place, systemClock);
    await stores.transfer.beginImport("one");
    await stores.close();
    for (const migrates of [true, false]) {
      await expect(openStores(place, systemClock, { migrates })).rejects.toMatchObject({
        code: "bad_configuration",
        message: expect.stringMatching(
          /^the database is half filled, because an import or a restore was interrupted.*$/,
        ),
      });
    }
    const again = await openStores(place, systemClock, { acceptsUnfinishedImport: true });
    expect(await again.transfer.unfinishedImport()).toBe("one");
    await again.transfer.endImport();
    await again.close();
    await (await openStores(place, systemClock)).close();
  });
});
