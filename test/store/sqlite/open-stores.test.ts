import { randomBytes } from "node:crypto";
import { chmodSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Kysely, sql } from "kysely";
import Libsql from "libsql";
import { describe, expect, test } from "vitest";
import { epochMs } from "../../../src/core/clocks.ts";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import { openDatabase } from "../../../src/store/sqlite/database/database.ts";
import { BUSY_TIMEOUT_MS } from "../../../src/store/sqlite/database/dialect.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { createCall, endAt, SPEC, TURNS } from "../../support/calls/stored-calls.ts";
import { collectGarbage } from "../../support/heap.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { openSqlDatabase } from "../../support/stores/many-calls.ts";
import { allBytes, temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

const open = async () => {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  return { directory, clock, stores, accountId: await stores.accounts.ensure("first") };
};

describe("data on the disk", () => {
  test("ADV-L9: includes all that was committed, also after a power failure", () => {
    const file = openDatabase(join(temporaryDirectory(), "trunkline.db"));
    // FULL: the write-ahead log is forced onto the disk at every commit (sqlite.org/pragma.html#pragma_synchronous).
    expect(file.prepare("PRAGMA synchronous").get()).toMatchObject({ synchronous: 2 });
    expect(file.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    file.close();
  });

  test("ADV-L9: waits for the disk again after a transaction that need not, also one that fails", async () => {
    const { directory, stores } = await open();
    await stores.close();
    const database = openSqlDatabase({ dataDir: directory, databaseUrl: undefined });
    const synchronous = async (db: Kysely<Tables> = database.db): Promise<unknown> =>
      (await sql<{ synchronous: number }>`PRAGMA synchronous`.execute(db)).rows[0]?.synchronous;
    expect(await database.withoutSync((db) => synchronous(db))).toBe(1);
    expect(await synchronous()).toBe(2);
    await expect(database.readCommittedWithoutSync(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await synchronous()).toBe(2);
    await database.db.destroy();
  });

  test("T12: includes only the hashes of tokens and API keys", async () => {
    const { directory, stores, accountId } = await open();
    const tokens = Array.from({ length: 200 }, mintToken);
    for (const [index, token] of tokens.entries()) {
      const tokenHash = hashSecret(token);
      await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
      if (index % 2 === 0) await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    }
    const { key } = await stores.apiKeys.create({ accountId, name: "laptop" });
    const whileOpen = allBytes(directory);
    await stores.close();
    for (const bytes of [whileOpen, allBytes(directory)]) {
      expect(bytes).toContain(hashSecret(key));
      expect(bytes).not.toContain(key.slice("tlk_".length));
      for (const token of tokens) {
        expect(bytes).toContain(hashSecret(token));
        expect(bytes).not.toContain(token);
      }
    }
  });

  test("never includes a word of a call that is not recorded", async () => {
    const { directory, clock, stores, accountId } = await open();
    const said = (id: number, what: string) => `canary-${id}-${what} `.repeat(1 + (id % 90));
    const waiting: { tokenHash: string; id: number }[] = [];
    for (let id = 0; id < 600; id++) {
      const tokenHash = hashSecret(mintToken());
      const recordingEnabled = id % 3 === 0;
      const words = recordingEnabled ? {} : { systemPrompt: said(id, "prompt"), greeting: said(id, "greeting") };
      const spec = { ...SPEC, recordingEnabled, ...words };
      await stores.calls.create({ accountId, spec, tokenHash, tokenTtlMs: 60_000 });
      waiting.push({ tokenHash, id });
      if (id < 200) continue;
      // Two hundred calls wait at a time; a fifth of those that leave was never redeemed.
      const [call] = waiting.splice((id * 7) % waiting.length, 1);
      if (call === undefined || call.id % 5 === 0) continue;
      const redeemed = await stores.redemptions.redeem(call.tokenHash, redeemedBy("worker-1"));
      expect(redeemed?.spec.systemPrompt).toContain(call.id % 3 === 0 ? "tables" : `canary-${call.id}-prompt`);
      const turns = TURNS.map((turn) => ({ ...turn, text: call.id % 3 === 0 ? turn.text : said(call.id, "turn") }));
      const end = { status: "ended", endReason: "caller_hangup", endedAtMs: epochMs(1), durationMs: 1, turns } as const;
      await stores.calls.finish(redeemed?.callId ?? asCallId(""), end);
    }
    expect(allBytes(directory)).not.toContain("canary");
    clock.advance(60_000);
    expect((await stores.calls.expire()).length).toBeGreaterThan(200);
    await stores.close();
    const bytes = allBytes(directory);
    expect(bytes).not.toContain("canary");
    expect(bytes).toContain("You book tables");
  });

  test("and no word of such a call stays in memory once it is over", async () => {
    const { clock, stores, accountId } = await open();
    const waiting = async (count: number): Promise<{ id: CallId; tokenHash: string }[]> => {
      const spec = { ...SPEC, recordingEnabled: false, systemPrompt: randomBytes(100_000).toString("hex") };
      return count === 0 ? [] : [await createCall(stores, accountId, spec), ...(await waiting(count - 1))];
    };
    const fates: ((call: { id: CallId; tokenHash: string }) => unknown)[] = [
      async ({ id, tokenHash }) => {
        await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
        await stores.calls.finish(id, endAt(clock, { turns: [] }));
      },
      ({ id }) => stores.calls.cancel(accountId, id),
      ({ id }) => stores.calls.remove(accountId, id),
      () => clock.advance(60_000),
    ];
    const heldBytes: number[] = [];
    for (const fate of fates) {
      collectGarbage();
      const before = process.memoryUsage().heapUsed;
      for (const call of await waiting(60)) await fate(call);
      await stores.calls.expire();
      collectGarbage();
      heldBytes.push(process.memoryUsage().heapUsed - before);
    }
    expect(heldBytes.filter((bytes) => bytes > 4_000_000)).toEqual([]);
    await stores.close();
  });

  test("is not readable by other users of the machine", async () => {
    const { directory, stores } = await open();
    for (const name of ["trunkline.db", "trunkline.db-wal"]) {
      expect(statSync(join(directory, name)).mode & 0o077).toBe(0);
    }
    await stores.close();
  });
});

test("ADV-L7: restored files that all users can read are private from the next start on", async () => {
  const { directory, clock, stores } = await open();
  const names = ["trunkline.db", "trunkline.db-wal", "trunkline.db-shm"];
  for (const name of names) chmodSync(join(directory, name), 0o644);
  const again = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  for (const name of names) expect(statSync(join(directory, name)).mode & 0o777).toBe(0o600);
  await again.close();
  await stores.close();
});

describe("an unusable database", () => {
  test("a file that is not a database is refused at the start", async () => {
    const directory = temporaryDirectory();
    writeFileSync(join(directory, "trunkline.db"), "this is a diary, not a database ".repeat(200));
    await expect(openSqliteStores(directory, new ManualClock())).rejects.toThrow(/not a database/);
  });

  test("a schema newer than this program is refused", async () => {
    const { directory, clock, stores } = await open();
    await stores.close();
    const file = new Libsql(join(directory, "trunkline.db"));
    file.exec("INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2030-01-01T00:00:00.000Z')");
    file.close();
    await expect(openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) })).rejects.toThrow(
      /9999-from-the-future/,
    );
  });

  test("while another program holds the lock, writing is `unavailable` and reading continues", async () => {
    const { directory, stores, accountId } = await open();
    const tokenHash = hashSecret(mintToken());
    const made = await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
    if (made.kind !== "created") throw new Error("not created");
    const { call } = made;
    const other = new Libsql(join(directory, "trunkline.db"));
    other.exec("BEGIN IMMEDIATE");
    const refused = { code: "unavailable", fault: "service" };
    await expect(stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"))).rejects.toMatchObject(refused);
    await expect(stores.apiKeys.create({ accountId, name: "x" })).rejects.toMatchObject(refused);
    expect((await stores.calls.get(accountId, call.id))?.status).toBe("created");
    other.exec("COMMIT");
    other.close();
    expect((await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1")))?.callId).toBe(call.id);
    await stores.close();
  });

  test("a short lock of another program is waited for, also after something was removed", async () => {
    const { directory, stores, accountId } = await open();
    const { id } = await createCall(stores, accountId);
    expect(await stores.calls.remove(accountId, id)).toBe(true);
    const other = new Libsql(join(directory, "trunkline.db"));
    other.exec("BEGIN IMMEDIATE");
    const begunMs = performance.now();
    await expect(stores.apiKeys.create({ accountId, name: "x" })).rejects.toMatchObject({ code: "unavailable" });
    expect(performance.now() - begunMs).toBeGreaterThan(BUSY_TIMEOUT_MS / 2);
    other.close();
    await stores.close();
  });

  test("T6: a redemption that fails for any reason is `unavailable`, so that no call begins", async () => {
    const { stores } = await open();
    await stores.close();
    await expect(stores.redemptions.redeem(hashSecret("x"), redeemedBy("worker-1"))).rejects.toMatchObject({
      code: "unavailable",
    });
  });
});
