import type { KyselyPlugin } from "kysely";
import { expect, test } from "vitest";
import { unavailable } from "../../../../src/core/errors.ts";
import type { CallEvent } from "../../../../src/store/calls/call-store.ts";
import type { SqlDatabase } from "../../../../src/store/sql/database.ts";
import { migrate, sqlStores } from "../../../../src/store/sql/stores.ts";
import { createDatabaseFile, databasePath, openDatabase } from "../../../../src/store/sqlite/database/database.ts";
import { DatabaseFiles } from "../../../../src/store/sqlite/database/database-files.ts";
import { SqliteDatabase } from "../../../../src/store/sqlite/database/sqlite-database.ts";
import { createCall, endAt, SPEC } from "../../../support/calls/stored-calls.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../../support/tokens.ts";

/** A database that loses its connection when it is asked to: after a commit, at a query, or at a purge. */
async function scene() {
  const clock = new ManualClock();
  const path = databasePath(temporaryDirectory());
  createDatabaseFile(path);
  const file = openDatabase(path);
  const inner = new SqliteDatabase(file, path, new DatabaseFiles(path));
  await migrate(inner, {});
  /** How often it still happens; of queries, how many succeed before one fails. */
  const faults = { afterCommit: 0, purges: 0, queriesBefore: Number.POSITIVE_INFINITY };
  let purges = 0;
  const lost = () => unavailable("the connection was lost");
  const fail = (what: "afterCommit" | "purges"): void => {
    if (faults[what] === 0) return;
    faults[what] -= 1;
    throw lost();
  };
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (faults.queriesBefore-- > 0) return node;
      faults.queriesBefore = Number.POSITIVE_INFINITY;
      throw lost();
    },
    transformResult: async ({ result }) => result,
  };
  const database: SqlDatabase = {
    db: inner.db.withPlugin(plugin),
    columnTypes: inner.columnTypes,
    locksRows: inner.locksRows,
    combinesWrites: inner.combinesWrites,
    nowMs: inner.nowMs,
    transaction: (work) => inner.transaction(work),
    readCommitted: async (work) => {
      const result = await inner.readCommitted(work);
      fail("afterCommit");
      return result;
    },
    readCommittedWithoutSync: (work) => inner.readCommittedWithoutSync(work),
    withoutSync: (work) => inner.withoutSync(work),
    readSnapshot: (read) => inner.readSnapshot(read),
    compact: () => inner.compact(),
    purgeChangeLog: async () => {
      fail("purges");
      purges += 1;
      return await inner.purgeChangeLog();
    },
  };
  const opened = sqlStores(database, { clock, age: ageClockOf(clock), unpersisted: new Map() });
  const stores = { ...opened, isDatabaseLost: () => false, onServerChanged: () => {} };
  const accountId = await stores.accounts.ensure("first");
  const reported: CallEvent[] = [];
  stores.calls.subscribe((event) => void (event.kind === "ended" && reported.push(event)));
  const active = async (spec = SPEC) => {
    const { id, tokenHash } = await createCall(stores, accountId, spec);
    await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    return id;
  };
  const finish = (id: Awaited<ReturnType<typeof active>>) => stores.calls.finish(id, endAt(clock));
  return { stores, faults, reported, active, finish, purges: () => purges };
}

test("K3: an end whose commit was not acknowledged is reported by the next attempt that reaches the database", async () => {
  const { faults, reported, active, finish } = await scene();
  const id = await active();
  faults.afterCommit = 1;
  await expect(finish(id)).rejects.toThrow("the connection was lost");
  // The first query of an attempt finds no active call; the second asks by whose end it is over.
  for (const queriesBefore of [0, 1]) {
    faults.queriesBefore = queriesBefore;
    await expect(finish(id)).rejects.toThrow("the connection was lost");
  }
  expect(reported).toEqual([]);
  expect(await finish(id)).toBe(true);
  expect(reported).toEqual([expect.objectContaining({ kind: "ended", callId: id })]);
  expect(await finish(id)).toBe(false);
  expect(reported).toHaveLength(1);
});

test("the end of a redacted call is reported although the change log cannot be purged, which is retried", async () => {
  const { stores, faults, reported, active, finish, purges } = await scene();
  const id = await active({ ...SPEC, redactedValues: ["Miller"] });
  await stores.calls.expire();
  const before = purges();
  faults.purges = 1;
  expect(await finish(id)).toBe(true);
  expect(reported).toEqual([expect.objectContaining({ kind: "ended", callId: id })]);
  await expect(stores.calls.expire()).rejects.toThrow("the connection was lost");
  await stores.calls.expire();
  await stores.calls.expire();
  expect(purges()).toBe(before + 1);
});
