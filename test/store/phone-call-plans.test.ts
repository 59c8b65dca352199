import { join } from "node:path";
import { CompiledQuery, Kysely, PostgresDialect, SqliteDialect } from "kysely";
import Libsql from "libsql";
import pg from "pg";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { addMs } from "../../src/core/clocks.ts";
import { type AccountId, asCarrierId, type CarrierId } from "../../src/core/ids.ts";
import { openStores, type StorePlace } from "../../src/store/open-stores.ts";
import type { Tables } from "../../src/store/sql/tables.ts";
import { dueCalls } from "../../src/store/sql/telephony/due-calls.ts";
import { fullOf, hasOpenCalls } from "../../src/store/sql/telephony/open-calls.ts";
import { hasPostgres } from "../support/postgres/server.ts";
import { migratedDatabase } from "../support/stores/every-store.ts";
import { insertManyCalls, openSqlDatabase } from "../support/stores/many-calls.ts";
import { createCarrier } from "../support/telephony/stored.ts";
import { temporaryDirectory } from "../support/temporary-directory.ts";

const CALLS = 6_000;
const CARRIERS = 20;
const TIMEOUT_MS = 60_000;
const NOW = systemClock.epochMs();

/** Stores with many telephone calls of several carriers, half of which are over. */
async function fill(place: StorePlace): Promise<{ accountId: AccountId; carrierId: CarrierId }> {
  const stores = await openStores(place, systemClock);
  const accountId = await stores.accounts.ensure("first");
  const carriers: CarrierId[] = [];
  while (carriers.length < CARRIERS) carriers.push((await createCarrier(stores, accountId)).id);
  await stores.close();
  const database = openSqlDatabase(place);
  await insertManyCalls(database, { calls: CALLS, accounts: [accountId], agents: [] });
  const calls = await database.db.selectFrom("calls").select("id").execute();
  const rows = calls.map(({ id }, index) => ({
    call_id: id,
    account_id: accountId,
    carrier_id: carriers[index % CARRIERS] ?? asCarrierId(""),
    carrier_call_id: null,
    state: "{}",
    event_count: 1,
    due_at: index % 4 < 2 ? addMs(NOW, index - CALLS) : null,
    holds_slot: index % 3 === 0 ? 1 : 0,
    is_over: index % 4 === 0 ? 0 : 1,
    token_hash: null,
    sealed_token: null,
  }));
  for (let from = 0; from < rows.length; from += 500) {
    await database.db
      .insertInto("phone_calls")
      .values(rows.slice(from, from + 500))
      .execute();
  }
  await database.db.destroy();
  return { accountId, carrierId: carriers[0] ?? asCarrierId("") };
}

async function everyQueryUsesAnIndex(place: StorePlace): Promise<void> {
  const { accountId, carrierId } = await fill(place);
  const isPostgres = place.databaseUrl !== undefined;
  const dialect = isPostgres
    ? new PostgresDialect({ pool: new pg.Pool({ connectionString: place.databaseUrl, max: 1 }) })
    : new SqliteDialect({ database: new Libsql(join(place.dataDir, "trunkline.db")) });
  const seen: CompiledQuery[] = [];
  const db = new Kysely<Tables>({ dialect, log: ({ query }) => void seen.push(query) });
  /** The plans of what `work` asks. */
  const plansOf = async (work: () => Promise<unknown>): Promise<string> => {
    seen.splice(0);
    await work();
    const plans: string[] = [];
    for (const { sql, parameters } of seen.splice(0)) {
      const explained = CompiledQuery.raw(`${isPostgres ? "EXPLAIN" : "EXPLAIN QUERY PLAN"} ${sql}`, [...parameters]);
      const { rows } = await db.executeQuery<Record<string, unknown>>(explained as never);
      plans.push(...rows.map((row) => String(row.detail ?? row["QUERY PLAN"])));
    }
    return plans.join("\n");
  };
  try {
    if (isPostgres) await db.executeQuery(CompiledQuery.raw("VACUUM ANALYZE"));
    const due = await plansOf(async () => expect(await dueCalls(db, NOW, 100)).toHaveLength(100));
    // A row of the list of carriers, which the query itself makes.
    const readsAll = /\bseq scan on (phone_calls|calls)|^SCAN phone_calls/im;
    expect(due).toContain("phone_calls_by_carrier_and_due");
    expect(due).not.toMatch(/phone_calls_by_due/);
    expect(due).not.toMatch(readsAll);
    const waitingMax = { carrier: CALLS, account: CALLS };
    const full = await plansOf(() => fullOf(db, { accountId, carrierId, waitingMax }));
    const open = await plansOf(async () => expect(await hasOpenCalls(db, carrierId)).toBe(true));
    for (const plan of [full, open]) {
      expect(plan).toContain("phone_calls_open_by_carrier");
      expect(plan).not.toMatch(readsAll);
    }
  } finally {
    await db.destroy();
  }
}

describe("what is asked about many telephone calls, at each of them or twice a second, reads by an index", () => {
  test("on SQLite", () => everyQueryUsesAnIndex({ dataDir: temporaryDirectory(), databaseUrl: undefined }), TIMEOUT_MS);

  test.skipIf(!hasPostgres)(
    "on Postgres (only where postgresql is installed)",
    async () => {
      await everyQueryUsesAnIndex({ dataDir: temporaryDirectory(), databaseUrl: await migratedDatabase() });
    },
    TIMEOUT_MS,
  );
});
