import { join } from "node:path";
import { Kysely } from "kysely";
import Libsql from "libsql";
import { expect, onTestFinished, test } from "vitest";
import type { TranscriptTurn } from "../../../../src/core/calls/transcript.ts";
import { callMs } from "../../../../src/core/clocks.ts";
import { IDEMPOTENCY_MS } from "../../../../src/core/limits/control-api/api.ts";
import { REDEMPTION_LOCK_MS_MAX, REDEMPTION_LOCK_POLL_MS } from "../../../../src/core/limits/service/admission.ts";
import { TRANSACTION_ROWS_MAX, TRANSACTION_TEXT_BYTES_MAX } from "../../../../src/core/limits/storage/storage.ts";
import { hashSecret } from "../../../../src/store/secrets.ts";
import { openDatabase } from "../../../../src/store/sqlite/database/database.ts";
import { DatabaseFiles } from "../../../../src/store/sqlite/database/database-files.ts";
import { SharedFileDialect } from "../../../../src/store/sqlite/database/dialect.ts";
import { openSqliteRedemptions, openSqliteStores } from "../../../../src/store/sqlite/open-stores.ts";
import { createCall, endAt, SPEC, TTL_MS, TURNS } from "../../../support/calls/stored-calls.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import { watchTransactions } from "../../../support/services/sqlite-transactions.ts";
import { temporaryDirectory } from "../../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../../support/tokens.ts";

/**
 * What one transaction changes in addition to the rows of unlimited number: the call itself, its token, its idempotency
 * key, the job of its recording, an event of the audit log.
 */
const OTHER_ROWS = 5;
const LONG = 10 * TRANSACTION_ROWS_MAX + 1;

async function scene() {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("first");
  /** A live call. */
  const active = async () => {
    const call = await createCall(stores, accountId);
    const nonce = mintToken();
    await stores.redemptions.redeem(call.tokenHash, redeemedBy("worker-1", { nonce }));
    return { ...call, nonce };
  };
  const path = join(directory, "trunkline.db");
  return { directory, path, clock, stores, accountId, active };
}

const turnsOf = (count: number, text = "yes"): TranscriptTurn[] =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "agent",
    text,
    startMs: callMs(index),
    endMs: callMs(index + 1),
    interrupted: false,
  }));

test("ADV-M1: a long transcript is written, and deleted, by transactions of a few rows each", async () => {
  const { clock, stores, accountId, active } = await scene();
  const [first, second] = [await active(), await active()];
  const turns = turnsOf(LONG);
  const { rows } = watchTransactions();
  for (const { id } of [first, second]) await stores.calls.finish(id, endAt(clock, { turns }));
  expect(await stores.calls.transcript(accountId, first.id)).toEqual(turns);
  await stores.retention.deleteTranscript(first.id);
  expect(await stores.calls.transcript(accountId, first.id)).toEqual([]);
  await stores.calls.remove(accountId, second.id);
  expect(await stores.calls.get(accountId, second.id)).toBeUndefined();
  expect(Math.max(...rows)).toBeLessThanOrEqual(TRANSACTION_ROWS_MAX + OTHER_ROWS);
  // Each of them wrote and deleted all of its rows.
  expect(rows.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(4 * LONG);
});

test("ADV-M1: long texts make transactions of fewer rows", async () => {
  const { clock, stores, accountId, active } = await scene();
  const { id } = await active();
  const { rows } = watchTransactions();
  const turns = turnsOf(20, "x".repeat(TRANSACTION_TEXT_BYTES_MAX / 2 - 2));
  await stores.calls.finish(id, endAt(clock, { turns }));
  expect(await stores.calls.transcript(accountId, id)).toEqual(turns);
  await stores.calls.remove(accountId, id);
  expect(rows.filter((count) => count > 2 + OTHER_ROWS)).toEqual([]);
});

test("ADV-M1: other programs find the lock free between the transactions of one long write", async () => {
  const { path, clock, stores, active } = await scene();
  const { id } = await active();
  const other = new Libsql(path);
  onTestFinished(() => void other.close());
  other.exec("PRAGMA busy_timeout = 0");
  const writing = stores.calls.finish(id, endAt(clock, { turns: turnsOf(LONG) }));
  const seen = new Set<number>();
  let isOver = false;
  void writing.then(() => {
    isOver = true;
  });
  const written = other.prepare("SELECT count(*) AS count FROM turns");
  while (!isOver) {
    await settled();
    other.exec("BEGIN IMMEDIATE");
    seen.add((written.get() as { count: number }).count);
    other.exec("COMMIT");
  }
  for (let part = 1; part <= 10; part += 1) expect(seen).toContain(part * TRANSACTION_ROWS_MAX);
});

test("ADV-M1: no turn of a long transcript is visible before its call's end is recorded", async () => {
  const { clock, stores, accountId, active } = await scene();
  const { id } = await active();
  const turns = turnsOf(LONG);
  const writing = stores.calls.finish(id, endAt(clock, { turns }));
  const seen = new Set<number>();
  for (let isActive = true; isActive; ) {
    await settled();
    const found = await stores.calls.transcript(accountId, id);
    isActive = (await stores.calls.get(accountId, id))?.status === "active";
    if (isActive) seen.add(found?.length ?? Number.NaN);
  }
  expect([...seen]).toEqual([0]);
  expect(await writing).toBe(true);
  expect(await stores.calls.transcript(accountId, id)).toEqual(turns);
});

test("ADV-M1: of two concurrent ends of a call one is recorded, with its complete transcript", async () => {
  const { clock, stores, accountId, active } = await scene();
  const { id } = await active();
  const ends = [turnsOf(LONG, "one"), turnsOf(LONG + 1, "two")];
  const recorded = await Promise.all(ends.map((turns) => stores.calls.finish(id, endAt(clock, { turns }))));
  expect(recorded).toEqual([true, false]);
  expect(await stores.calls.transcript(accountId, id)).toEqual(ends[0]);
});

test("ADV-M1: a call whose redemption is returned while its end is written waits again, and has no turns", async () => {
  const { path, clock, stores, active } = await scene();
  const { id, tokenHash, nonce } = await active();
  const writing = stores.calls.finish(id, endAt(clock, { turns: turnsOf(LONG) }));
  for (let turn = 0; turn < 3; turn += 1) await settled();
  expect(await stores.redemptions.returnRedemption(tokenHash, nonce)).toMatchObject({ callId: id });
  expect(await writing).toBe(false);
  const file = new Libsql(path);
  expect(file.prepare("SELECT count(*) AS count FROM turns").get()).toMatchObject({ count: 0 });
  file.close();
  expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"))).toMatchObject({ callId: id });
});

test("ADV-M1: what a process that died in the middle of a long transcript has left is replaced", async () => {
  const { path, clock, stores, accountId, active } = await scene();
  const { id } = await active();
  const file = new Libsql(path);
  for (let position = 0; position < 3 * TRANSACTION_ROWS_MAX; position += 1) {
    file
      .prepare(
        `INSERT INTO turns (call_id, position, account_id, role, text, start_ms, end_ms, interrupted)
         VALUES (?, ?, ?, 'user', '"left"', 0, 1, 0)`,
      )
      .run(id, position, accountId);
  }
  file.close();
  await stores.calls.finish(id, endAt(clock, { turns: TURNS }));
  expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
});

/** Calls whose requests had idempotency keys. */
async function nameRequests({ stores, accountId }: Awaited<ReturnType<typeof scene>>, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) {
    await stores.calls.create({
      accountId,
      spec: SPEC,
      tokenHash: hashSecret(mintToken()),
      tokenTtlMs: TTL_MS,
      idempotency: { keyHash: `name-${index}`, fingerprint: "body", sealedToken: "sealed" },
    });
  }
}

test("ADV-M1: expired idempotency keys are deleted a few in each transaction", async () => {
  const under = await scene();
  const count = 2 * TRANSACTION_ROWS_MAX + 1;
  await nameRequests(under, count);
  under.clock.advance(IDEMPOTENCY_MS);
  const calls = await under.stores.calls.expire();
  expect(calls).toHaveLength(count);
  await nameRequests(under, count);
  under.clock.advance(IDEMPOTENCY_MS - 1);
  await under.stores.calls.expire();
  under.clock.advance(1);
  const { rows } = watchTransactions();
  await under.stores.calls.expire();
  expect(rows.filter((changed) => changed > 0)).toEqual([TRANSACTION_ROWS_MAX, TRANSACTION_ROWS_MAX, 1]);
});

test("ADV-M1: the search for expired idempotency keys reads nothing else, and takes no lock where there are none", async () => {
  const under = await scene();
  await nameRequests(under, 1);
  const none = watchTransactions();
  await under.stores.calls.expire();
  expect(none.begun).toBe(0);
  under.clock.advance(IDEMPOTENCY_MS);
  await under.stores.calls.expire();
  const statements = new Set(none.statements.filter((statement) => statement.includes('"idempotent_requests"')));
  // For requests of this boot and of earlier ones; and the deletion of those that were found.
  expect(statements.size).toBe(3);
  const file = new Libsql(under.path);
  for (const statement of statements) {
    const parameters = Array.from(statement.matchAll(/\?/g), () => 1);
    const plan = file.prepare(`EXPLAIN QUERY PLAN ${statement}`).all(...parameters) as { detail: string }[];
    const details = plan.map(({ detail }) => detail).join("\n");
    expect(details).toMatch(/SEARCH request USING .*INDEX idempotent_requests_by_(age \(boot_id=\? AND|time)/);
    expect(details).not.toMatch(/SCAN|MULTI-INDEX/);
  }
  file.close();
});

test("ADV-M1: a redemption that meets the lock waits while the event loop runs, and gets it as soon as it is free", async () => {
  const { directory, path, clock, stores, accountId } = await scene();
  const { redemptions, close } = openSqliteRedemptions(directory, clock, ageClockOf(clock), new Map());
  onTestFinished(close);
  const calls = [await createCall(stores, accountId), await createCall(stores, accountId)];
  const redeemAll = () =>
    Promise.allSettled(calls.map(({ tokenHash }) => redemptions.redeem(tokenHash, redeemedBy("worker-1"))));
  const other = new Libsql(path);
  onTestFinished(() => void other.close());

  other.exec("BEGIN IMMEDIATE");
  const refused = redeemAll();
  await clock.play(REDEMPTION_LOCK_MS_MAX - 1);
  // One polls for all, and nothing else in the event loop has waited.
  expect(clock.pending).toBe(1);
  await clock.play(REDEMPTION_LOCK_POLL_MS);
  const refusal = { status: "rejected", reason: { code: "unavailable", fault: "service" } };
  expect(await refused).toMatchObject([refusal, refusal]);

  const redeemed = redeemAll();
  await clock.play(REDEMPTION_LOCK_MS_MAX / 2);
  other.exec("COMMIT");
  await clock.play(REDEMPTION_LOCK_POLL_MS);
  expect(await redeemed).toMatchObject(calls.map(({ id }) => ({ status: "fulfilled", value: { callId: id } })));
});

test("ADV-M1: redemptions are answered one in each turn of the loop", async () => {
  const { directory, clock, stores, accountId } = await scene();
  const { redemptions, close } = openSqliteRedemptions(directory, clock, ageClockOf(clock), new Map());
  onTestFinished(close);
  const calls = [];
  for (let index = 0; index < 5; index += 1) calls.push(await createCall(stores, accountId));
  let answered = 0;
  const answers = calls.map(async ({ tokenHash }) => {
    await redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    answered += 1;
  });
  const seen = new Set<number>();
  while (answered < calls.length) {
    await settled();
    seen.add(answered);
  }
  await Promise.all(answers);
  expect([...seen].filter((count) => count > 0)).toEqual([1, 2, 3, 4, 5]);
});

test("ADV-M1: writes that wait for a lock together let the event loop run between them", async () => {
  const path = join(temporaryDirectory(), "trunkline.db");
  const file = openDatabase(path);
  file.exec("PRAGMA busy_timeout = 0");
  file.exec("CREATE TABLE written (at INTEGER)");
  const db = new Kysely<{ written: { at: number } }>({
    dialect: new SharedFileDialect(file, new DatabaseFiles(path)),
  });
  onTestFinished(() => db.destroy());
  const other = new Libsql(path);
  onTestFinished(() => void other.close());
  other.exec("BEGIN IMMEDIATE");
  let refused = 0;
  const writes = [1, 2, 3].map((at) =>
    db
      .insertInto("written")
      .values({ at })
      .execute()
      .catch(() => {
        refused += 1;
      }),
  );
  const seen: number[] = [];
  while (refused < 3) {
    await settled();
    seen.push(refused);
  }
  await Promise.all(writes);
  expect([...new Set(seen)]).toEqual([1, 2, 3]);
});
