import { join } from "node:path";
import { Kysely, Migrator, SqliteDialect } from "kysely";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { addMs, epochMs } from "../../../../src/core/clocks.ts";
import { asAccountId, asCallId } from "../../../../src/core/ids.ts";
import { newId } from "../../../../src/core/new-id.ts";
import { hashSecret } from "../../../../src/store/secrets.ts";
import { migrationsFor } from "../../../../src/store/sql/migrations/migrations.ts";
import type { Tables } from "../../../../src/store/sql/tables.ts";
import { SQLITE_COLUMN_TYPES } from "../../../../src/store/sqlite/database/sqlite-database.ts";
import { openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import { createCall, endAt, SPEC, TURNS } from "../../../support/calls/stored-calls.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { allBytes, temporaryDirectory } from "../../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../../support/tokens.ts";

const MIGRATIONS = migrationsFor(SQLITE_COLUMN_TYPES);

const open = async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  const accountId = await stores.accounts.ensure("first");

  /** An ended call whose texts all contain its number. */
  const held = async (number: number): Promise<string> => {
    const say = (what: string) => `canary-${number}-${what} `.repeat(1 + ((number * 7) % 40));
    const spec = { ...SPEC, systemPrompt: say("prompt"), greeting: say("greeting"), metadata: { note: say("note") } };
    const idempotency = {
      keyHash: hashSecret(say("name")),
      fingerprint: say("fingerprint"),
      sealedToken: say("token"),
    };
    const { id, tokenHash } = await createCall(stores, accountId, spec, { idempotency });
    await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    await stores.calls.finish(id, endAt(clock, { turns: TURNS.map((turn) => ({ ...turn, text: say("turn") })) }));
    return id;
  };
  return { directory, clock, stores, accountId, held };
};

describe("removed data", () => {
  test("is in no file, neither in the database nor in its write-ahead log", async () => {
    const { directory, stores, accountId, held } = await open();
    const kept: number[] = [];
    const ids = [];
    for (let number = 0; number < 100; number++) ids.push(await held(number));
    expect(allBytes(directory)).toContain("canary-50-turn");
    for (const [number, id] of ids.entries()) {
      if (number % 3 === 0) kept.push(number);
      else expect(await stores.calls.remove(accountId, asCallId(id))).toBe(true);
    }
    const whileOpen = allBytes(directory);
    await stores.close();
    for (const bytes of [whileOpen, allBytes(directory)]) {
      const found = new Set([...bytes.matchAll(/canary-(\d+)-/g)].map(([, number]) => Number(number)));
      expect([...found].sort((one, other) => one - other)).toEqual(kept);
    }
  });

  test("stays in the write-ahead log while another program reads, and is purged by the next `expire`", async () => {
    const { directory, stores, accountId, held } = await open();
    const id = asCallId(await held(1));
    const reader = new Libsql(join(directory, "trunkline.db"));
    reader.exec("BEGIN");
    expect(reader.prepare("SELECT count(*) AS calls FROM calls").all()).toMatchObject([{ calls: 1 }]);
    expect(await stores.calls.remove(accountId, id)).toBe(true);
    expect(await stores.calls.get(accountId, id)).toBeUndefined();
    expect(allBytes(directory)).toContain("canary-1-turn");
    reader.exec("COMMIT");
    reader.close();
    await stores.calls.expire();
    expect(allBytes(directory)).not.toContain("canary");
    await stores.close();
  });
});

/** Copies the only call of a database, under other ids. */
function copyTheCall(file: InstanceType<typeof Libsql>, copies: number): void {
  const columns = file.prepare("SELECT name FROM pragma_table_info('calls') WHERE name != 'id'").all() as {
    name: string;
  }[];
  const names = columns.map(({ name }) => name).join(", ");
  file.exec(`WITH RECURSIVE copy(number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copy WHERE number < ${copies})
    INSERT INTO calls (id, ${names}) SELECT 'call_' || printf('%036d', number), ${names} FROM copy, calls`);
}

test.each([
  undefined,
  "CA1",
])("a list that reads many calls without a match lets the event loop run meanwhile, carrier's id %s", async (carrierCallId) => {
  const { directory, stores, accountId } = await open();
  await createCall(stores, accountId);
  const file = new Libsql(join(directory, "trunkline.db"));
  file.prepare("UPDATE calls SET carrier_call_id = ?").run(JSON.stringify("CA1"));
  // More than four windows of a list for each of two reasons, of which one goes with each status.
  copyTheCall(file, 45_000);
  file.exec("UPDATE calls SET status = 'ended', end_reason = 'caller_hangup'");
  file.exec("UPDATE calls SET status = 'failed', end_reason = 'provider_error' WHERE rowid % 2 = 0");
  file.close();
  let turns = 0;
  let isListing = true;
  const takeTurn = (): void => {
    turns += 1;
    if (isListing) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  const query = { limit: 1, status: "failed", endReason: "caller_hangup", carrierCallId } as const;
  expect(await stores.calls.list(accountId, query)).toMatchObject({ calls: [] });
  isListing = false;
  expect(turns).toBeGreaterThanOrEqual(4);
  await stores.close();
});

test("expired idempotency keys are deleted", async () => {
  const { directory, clock, stores, held } = await open();
  await held(1);
  clock.advance(24 * 3_600_000 - 1);
  await stores.calls.expire();
  const count = () => {
    const file = new Libsql(join(directory, "trunkline.db"));
    const [row] = file.prepare("SELECT count(*) AS requests FROM idempotent_requests").all();
    file.close();
    return row;
  };
  expect(count()).toMatchObject({ requests: 1 });
  clock.advance(1);
  await stores.calls.expire();
  expect(count()).toMatchObject({ requests: 0 });
  await stores.close();
});

test("the calls of a database of an older version are read, listed and removed", async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const file = new Libsql(join(directory, "trunkline.db"));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }) });
  await MIGRATIONS["0001-accounts-agents-calls"]?.up(db);
  file.exec("CREATE TABLE kysely_migration (name varchar(255) NOT NULL PRIMARY KEY, timestamp varchar(255) NOT NULL)");
  file.exec(
    "CREATE TABLE kysely_migration_lock (id varchar(255) NOT NULL PRIMARY KEY, is_locked integer DEFAULT 0 NOT NULL)",
  );
  file.exec("INSERT INTO kysely_migration VALUES ('0001-accounts-agents-calls', '2026-01-01T00:00:00.000Z')");
  file.exec("INSERT INTO kysely_migration_lock VALUES ('migration_lock', 0)");
  const { systemPrompt, greeting: _, ...settings } = SPEC;
  const [id, accountId] = [newId("call"), newId("account")];
  await db
    .insertInto("accounts")
    .values({ id: accountId, name: "first", created_at: epochMs(0) })
    .execute();
  const { languagePinned: _pinned, ...oldSettings } = { ...settings, tools: ["hang_up"] };
  const old = { status: "created", settings: JSON.stringify(oldSettings), words: JSON.stringify({ systemPrompt }) };
  // Columns that the table of that version lacks are left out.
  file
    .prepare(
      "INSERT INTO calls (id, account_id, status, settings, words, recording_enabled, created_at) VALUES (?, ?, ?, ?, ?, 1, 0)",
    )
    .run(id, accountId, old.status, old.settings, old.words);
  file
    .prepare("INSERT INTO stream_tokens (token_hash, account_id, call_id, expires_at) VALUES (?, ?, ?, ?)")
    .run(hashSecret("x"), accountId, id, addMs(clock.epochMs(), 1));
  await db.destroy();
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  const { tools: _tools, ...listedSettings } = settings;
  const record = {
    // The boot of its token is unknown.
    ...{
      id,
      accountId,
      status: "expired",
      endReason: "token_expired",
      createdAtMs: 0,
      endedAtMs: addMs(clock.epochMs(), 1),
    },
    settings: { ...listedSettings, languagePinned: false },
  };
  expect(await stores.calls.list(accountId, { limit: 5, metadata: { order: "17" } })).toEqual({
    calls: [record],
    more: false,
  });
  expect((await stores.calls.get(accountId, id))?.settings.tools).toEqual([
    { kind: "built_in", name: "hang_up", fixedArguments: {} },
  ]);
  expect(await stores.redemptions.redeem(hashSecret("x"), redeemedBy("worker-1"))).toBeUndefined();
  expect(await stores.calls.expire()).toEqual([id]);
  expect(await stores.calls.remove(accountId, id)).toBe(true);
  await stores.close();
});

test("F14-2, F14-4: turns and calls of version 6 of the schema are read: neither approximate nor with a carrier's id", async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const file = new Libsql(join(directory, "trunkline.db"));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  expect((await migrator.migrateTo("0006-latency-and-usage")).error).toBeUndefined();
  const { systemPrompt: _, greeting: __, ...settings } = SPEC;
  file.prepare("INSERT INTO accounts VALUES ('account_1', 'first', 0)").run();
  file
    .prepare(
      "INSERT INTO calls (id, account_id, status, settings, recording_enabled, created_at, ended_at, end_reason) " +
        "VALUES ('call_1', 'account_1', 'ended', ?, 1, 0, 5000, 'caller_hangup')",
    )
    .run(JSON.stringify(settings));
  file
    .prepare(
      "INSERT INTO turns (call_id, position, account_id, role, text, start_ms, end_ms, interrupted) " +
        "VALUES ('call_1', 0, 'account_1', 'agent', '\"Hello.\"', 0, 900, 0)",
    )
    .run();
  await db.destroy();
  const upgraded = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  expect((await upgraded.calls.get(asAccountId("account_1"), asCallId("call_1")))?.carrierCallId).toBeUndefined();
  expect(await upgraded.calls.transcript(asAccountId("account_1"), asCallId("call_1"))).toEqual([
    { role: "agent", text: "Hello.", startMs: 0, endMs: 900, interrupted: false },
  ]);
  const byCarrierId = await upgraded.calls.list(asAccountId("account_1"), { limit: 5, carrierCallId: "CA1" });
  expect(byCarrierId).toEqual({ calls: [], more: false });
  await upgraded.close();
});

test("latencies and usage of version 11 of the schema are read under their present names", async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const file = new Libsql(join(directory, "trunkline.db"));
  const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: file }) });
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  expect((await migrator.migrateTo("0011-retention")).error).toBeUndefined();
  const { systemPrompt: _, greeting: __, ...settings } = SPEC;
  const step = (ms: number) => ({ count: 1, p50Ms: ms, p90Ms: ms, p95Ms: ms, p99Ms: ms });
  const oldLatency = {
    ...{ endOfUtterance: step(520), finalTranscript: step(300), modelFirstToken: step(120) },
    ...{ firstPiece: step(40), voiceFirstByte: step(90), firstSampleOut: step(15), whole: step(785) },
  };
  const used = (engine: string, provider: string) => ({
    engine,
    provider,
    model: "voice",
    units: "seconds",
    amount: 2,
  });
  const oldUsage = [used("ear", "deepgram"), used("model", "openai"), used("voice", "espeak")];
  const oldTurnLatency = {
    ...{ finalMs: 300, endOfTurnMs: 520, askedMs: 521, firstTextMs: 641, firstPieceMs: 681 },
    ...{ firstAudioMs: 771, firstFrameMs: 786 },
  };
  file.prepare("INSERT INTO accounts VALUES ('account_1', 'first', 0)").run();
  const insertCall = file.prepare(
    "INSERT INTO calls (id, account_id, status, settings, recording_enabled, created_at, ended_at, end_reason, " +
      "latency, usage) VALUES (?, 'account_1', 'ended', ?, 1, 0, 5000, 'caller_hangup', ?, ?)",
  );
  insertCall.run("call_1", JSON.stringify(settings), JSON.stringify(oldLatency), JSON.stringify(oldUsage));
  insertCall.run("call_2", JSON.stringify(settings), null, "[]");
  insertCall.run("call_3", JSON.stringify(settings), null, null);
  const insertTurn = file.prepare(
    "INSERT INTO turns (call_id, position, account_id, role, text, start_ms, end_ms, interrupted, latency) " +
      "VALUES ('call_1', ?, 'account_1', 'agent', '\"Hello.\"', 0, 900, 0, ?)",
  );
  insertTurn.run(0, null);
  insertTurn.run(1, JSON.stringify(oldTurnLatency));
  await db.destroy();

  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  expect(await stores.calls.get(asAccountId("account_1"), asCallId("call_1"))).toMatchObject({
    latency: {
      ...{ endOfTurn: step(520), finalTranscript: step(300), llmFirstToken: step(120) },
      ...{ firstSegment: step(40), ttsFirstByte: step(90), firstFrame: step(15), total: step(785) },
    },
    usage: [
      { stage: "stt", provider: "deepgram", model: "voice", units: "seconds", amount: 2 },
      { stage: "llm", provider: "openai", model: "voice", units: "seconds", amount: 2 },
      { stage: "tts", provider: "espeak", model: "voice", units: "seconds", amount: 2 },
    ],
  });
  const migrated = JSON.stringify(await stores.calls.get(asAccountId("account_1"), asCallId("call_1")));
  expect(migrated).not.toMatch(/engine|whole|firstPiece/);
  const [, withoutLatency, withoutUsage] = await Promise.all(
    ["call_1", "call_2", "call_3"].map((id) => stores.calls.get(asAccountId("account_1"), asCallId(id))),
  );
  expect([withoutLatency?.latency, withoutLatency?.usage]).toEqual([undefined, []]);
  expect([withoutUsage?.latency, withoutUsage?.usage]).toEqual([undefined, undefined]);
  const turns = await stores.calls.transcript(asAccountId("account_1"), asCallId("call_1"));
  expect(turns?.map(({ latency }) => latency)).toEqual([
    undefined,
    {
      ...{ finalTranscriptMs: 300, endOfTurnMs: 520, llmRequestedMs: 521, firstTextMs: 641, firstSegmentMs: 681 },
      ...{ firstAudioMs: 771, firstFrameMs: 786 },
    },
  ]);
  await stores.close();
});

test("F14-4: the list by a carrier's id uses its index", async () => {
  const { directory, stores } = await open();
  await stores.close();
  const file = new Libsql(join(directory, "trunkline.db"));
  const plan = file
    .prepare("EXPLAIN QUERY PLAN SELECT id FROM calls WHERE account_id = ? AND carrier_call_id = ? ORDER BY id DESC")
    .all("a", "b");
  file.close();
  expect(JSON.stringify(plan)).toContain("calls_by_carrier_call_id");
});
