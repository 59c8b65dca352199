import { type Kysely, sql } from "kysely";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { Pool } from "../../../src/store/postgres/pool.ts";
import { PostgresDatabase } from "../../../src/store/postgres/postgres-database.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { postgresServer } from "../../support/stores/every-store.ts";

const waitsForDisk = async (db: Kysely<Tables>): Promise<unknown> =>
  (await sql<{ synchronous_commit: string }>`SHOW synchronous_commit`.execute(db)).rows[0]?.synchronous_commit;

describe.skipIf(!hasPostgres)("transactions on Postgres (only where postgresql is installed)", () => {
  test("ADV-L9: wait for the disk, except those that a power failure may undo", async () => {
    const url = await (await postgresServer()).createDatabase();
    const pool = { url, connectionsMax: 1, clock: systemClock };
    const database = new PostgresDatabase(new Pool(pool), new Pool({ ...pool, waitsForDisk: false }));
    expect(await database.transaction(waitsForDisk)).toBe("on");
    expect(await database.readCommitted(waitsForDisk)).toBe("on");
    expect(await database.readCommittedWithoutSync(waitsForDisk)).toBe("off");
    expect(await database.withoutSync(waitsForDisk)).toBe("off");
    await database.close();
  });
});
