import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { openPostgresStores } from "../../src/store/postgres/open-stores.ts";
import { openSqliteStores } from "../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../src/store/stores.ts";
import { createCall, endAt, SPEC } from "../support/calls/stored-calls.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { postgresServer } from "../support/stores/every-store.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";
import { redeemedBy } from "../support/tokens.ts";

/**
 * A made-up next migration, as the rules for migrations allow it: a column is added, and one is renamed in two steps, of
 * which this is the first. The next version writes both columns.
 */
const NEXT_MIGRATION = [
  "ALTER TABLE calls ADD COLUMN next_note text",
  "ALTER TABLE calls ADD COLUMN close_reason text",
  "UPDATE calls SET close_reason = end_reason WHERE close_reason IS NULL",
  "CREATE INDEX calls_by_close_reason ON calls (account_id, close_reason)",
  "INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-next-version', '2027-01-01T00:00:00.000Z')",
];
/** The second step, when no process of this version runs any more: what it has written is copied, and its column removed. */
const LATER_MIGRATION = [
  "UPDATE calls SET close_reason = end_reason WHERE close_reason IS NULL",
  "DROP INDEX calls_by_all_filters",
  "DROP INDEX calls_by_end_reason_and_id",
  "ALTER TABLE calls DROP COLUMN end_reason",
];
const REASONS = "SELECT close_reason AS reason, count(*) AS calls FROM calls GROUP BY close_reason";
const CALLS = 60;

/** Returns how many calls have ended meanwhile. */
async function underLoad(stores: Stores, migrate: (statement: string) => Promise<void>): Promise<number> {
  const accountId = await stores.accounts.ensure("first");
  const clock = new ManualClock();
  let ended = 0;
  let migrated = 0;
  const line = async (): Promise<void> => {
    while (ended < CALLS || migrated < NEXT_MIGRATION.length) {
      const { id, tokenHash } = await createCall(stores, accountId, SPEC);
      expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).toMatchObject({ callId: id });
      expect(await stores.calls.finish(id, endAt(clock))).toBe(true);
      expect(await stores.calls.get(accountId, id)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
      expect((await stores.calls.list(accountId, { limit: 1, endReason: "caller_hangup" })).calls).toHaveLength(1);
      ended += 1;
      // The stores of SQLite do not wait for anything, and without this no timer would run.
      await setImmediate();
    }
  };
  const migrating = async (): Promise<void> => {
    for (const statement of NEXT_MIGRATION) {
      const at = ended + CALLS / 10;
      while (ended < at) await new Promise((resolve) => setTimeout(resolve, 2));
      await migrate(statement);
      migrated += 1;
    }
  };
  await Promise.all([line(), line(), line(), migrating()]);
  expect(ended).toBeGreaterThanOrEqual(CALLS);
  return ended;
}

describe("K13: a migration of the next version is applied under load while this version runs", () => {
  test("on SQLite", async () => {
    const directory = temporaryDirectory();
    const stores = await openSqliteStores(directory, systemClock);
    const other = new Libsql(join(directory, "trunkline.db"));
    other.exec("PRAGMA busy_timeout = 2000");
    const ended = await underLoad(stores, async (statement) => void other.exec(statement)).finally(() =>
      stores.close(),
    );
    for (const statement of LATER_MIGRATION) other.exec(statement);
    expect(other.prepare(REASONS).all()).toEqual([{ reason: "caller_hangup", calls: ended }]);
    other.close();
    await expect(openSqliteStores(directory, systemClock)).rejects.toThrow(/9999-next-version/);
  });

  test.skipIf(!hasPostgres)("on Postgres (only where postgresql is installed)", async () => {
    const server = await postgresServer();
    const url = await server.createDatabase();
    const stores = await openPostgresStores(url, systemClock);
    const apply = async (statement: string) => void (await server.query(statement, url));
    const ended = await underLoad(stores, apply).finally(() => stores.close());
    for (const statement of LATER_MIGRATION) await apply(statement);
    expect(await server.query(REASONS, url)).toEqual([{ reason: "caller_hangup", calls: String(ended) }]);
    await expect(openPostgresStores(url, systemClock)).rejects.toThrow(/9999-next-version/);
  });
});
