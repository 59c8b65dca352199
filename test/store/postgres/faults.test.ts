import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { AccountId } from "../../../src/core/ids.ts";
import {
  POSTGRES_POLL_MS,
  POSTGRES_QUERY_MS_MAX,
  POSTGRES_TAKEN_KEY_RETRIES_MAX,
  POSTGRES_TRIES_MAX,
} from "../../../src/core/limits/storage/postgres.ts";
import type { CallEvent } from "../../../src/store/calls/call-store.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { Pool } from "../../../src/store/postgres/pool.ts";
import { PostgresDatabase } from "../../../src/store/postgres/postgres-database.ts";
import type { Tables } from "../../../src/store/sql/tables.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";

const UNAVAILABLE = expect.objectContaining({ code: "unavailable" });

describe.skipIf(!hasPostgres)("the stores on Postgres (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let proxy: PostgresProxy;
  let direct: string;
  let stores: Stores;
  let accountId: AccountId;
  let clock: ManualClock;
  let events: CallEvent[];

  beforeAll(async () => {
    server = await PostgresServer.start({ settings: { max_connections: "30", deadlock_timeout: "10ms" } });
  });
  afterAll(() => server?.remove());
  beforeEach(async () => {
    clock = new ManualClock();
    proxy = await PostgresProxy.start(server.port);
    direct = await server.createDatabase();
    stores = await openPostgresStores(proxy.url(direct), clock, { ageClock: ageClockOf(clock) });
    accountId = await stores.accounts.ensure("first");
    events = [];
    stores.calls.subscribe((event) => void events.push(event));
  });
  afterEach(async () => {
    await stores.close();
    await proxy.close();
  });

  const create = () => createCall(stores, accountId, { ...SPEC, metadata: {} });
  const active = async () => {
    const call = await create();
    await stores.redemptions.redeem(call.tokenHash, redeemedBy("worker-1"));
    return call;
  };
  const calls = async () => (await stores.calls.list(accountId, { limit: 100 })).calls;

  test("K3: a server that is killed and comes back loses nothing that was acknowledged", async () => {
    const before = await create();
    await server.kill();
    await expect(create()).rejects.toEqual(UNAVAILABLE);
    await expect(stores.calls.get(accountId, before.id)).rejects.toEqual(UNAVAILABLE);
    await server.run();
    const after = await create();
    expect((await calls()).map(({ id }) => id)).toEqual([after.id, before.id]);
  });

  test("K3: connections that the server ends are replaced", async () => {
    await create();
    await server.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND application_name = 'trunkline'",
    );
    await expect.poll(async () => await create().catch(() => undefined)).toBeDefined();
  });

  test("K3: a server that hangs is given up after the time of a query, and its connection is not used again", async () => {
    const { id } = await create();
    server.pause();
    try {
      const hanging = stores.calls.get(accountId, id);
      hanging.catch(() => {});
      // The query is on its way.
      await new Promise((resolve) => setTimeout(resolve, 50));
      clock.advance(POSTGRES_QUERY_MS_MAX);
      await expect(hanging).rejects.toEqual(UNAVAILABLE);
    } finally {
      server.resume();
    }
    expect(await stores.calls.get(accountId, id)).toMatchObject({ id });
  });

  test("a server that is slow still creates and ends calls", async () => {
    proxy.delay(20);
    const { id } = await active();
    expect(await stores.calls.finish(id, endAt(clock))).toBe(true);
  });

  test("K3: a server without a free connection refuses, and serves again when there is one", async () => {
    const taken = await Promise.all(Array.from({ length: 40 }, () => openClient(direct).catch(() => undefined)));
    try {
      await expect(Promise.all(Array.from({ length: 10 }, create))).rejects.toEqual(UNAVAILABLE);
    } finally {
      await Promise.all(taken.map((client) => client?.end()));
    }
    await expect.poll(async () => await create().catch(() => undefined)).toBeDefined();
  });

  test("K3: an end that was cut before the server got it leaves nothing", async () => {
    const { id } = await active();
    proxy.cutAt(END, "before");
    await expect(stores.calls.finish(id, endAt(clock))).rejects.toEqual(UNAVAILABLE);
    expect([proxy.cuts, (await stores.calls.get(accountId, id))?.status]).toEqual([1, "active"]);
    expect(await stores.calls.finish(id, endAt(clock))).toBe(true);
    expect(events.filter(({ kind }) => kind === "ended")).toHaveLength(1);
  });

  test("K3: an end whose acknowledgement is lost counts once, and is reported once, by the next attempt", async () => {
    const { id } = await active();
    proxy.cutAt(END, "after");
    await expect(stores.calls.finish(id, endAt(clock))).rejects.toEqual(UNAVAILABLE);
    expect([proxy.cuts, (await stores.calls.get(accountId, id))?.status]).toEqual([1, "ended"]);
    expect(events.filter(({ kind }) => kind === "ended")).toEqual([]);
    expect(await stores.calls.finish(id, endAt(clock))).toBe(true);
    expect(await stores.calls.finish(id, endAt(clock))).toBe(false);
    expect(events.filter(({ kind }) => kind === "ended")).toHaveLength(1);
    expect(await stores.calls.transcript(accountId, id)).toHaveLength(3);
  });

  test("K3: a creation whose acknowledgement is lost is one call for a client that repeats it", async () => {
    const idempotency = { keyHash: "name", fingerprint: "body", sealedToken: "sealed" };
    const request = { accountId, spec: SPEC, tokenHash: "hash", tokenTtlMs: TTL_MS, idempotency };
    proxy.cutAt("commit", "after");
    await expect(stores.calls.create(request)).rejects.toEqual(UNAVAILABLE);
    expect(await stores.calls.create({ ...request, tokenHash: "other" })).toMatchObject({ kind: "replayed" });
    expect(await calls()).toHaveLength(1);
  });

  test("T6: a redemption whose acknowledgement is lost begins no call, and is returned by its nonce", async () => {
    const { id, tokenHash } = await create();
    proxy.cutAt(REDEMPTION, "after");
    await expect(stores.redemptions.redeem(tokenHash, redeemedBy("worker-1", { nonce: "n1" }))).rejects.toEqual(
      UNAVAILABLE,
    );
    expect((await stores.calls.get(accountId, id))?.status).toBe("active");
    expect(await stores.redemptions.returnRedemption(tokenHash, "n1")).toMatchObject({ callId: id });
    expect(await stores.redemptions.redeem(tokenHash, redeemedBy("worker-2"))).toMatchObject({ callId: id });
  });

  test("a standby, or a server that has become read-only, is unavailable for what writes", async () => {
    const { id } = await create();
    const name = new URL(direct).pathname.slice(1);
    await server.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    proxy.cutAll();
    await expect
      .poll(() =>
        create().then(
          () => "created",
          (error: { code?: string }) => error.code,
        ),
      )
      .toBe("unavailable");
    expect(await stores.calls.get(accountId, id)).toMatchObject({ id });
    await server.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    proxy.cutAll();
    await expect.poll(async () => await create().catch(() => undefined)).toBeDefined();
  });

  test("the stores say that the database is lost while it does not answer, and when it is back", async () => {
    const poll = async () => {
      clock.advance(POSTGRES_POLL_MS);
      await settled();
      await new Promise((resolve) => setTimeout(resolve, 10));
      return stores.isDatabaseLost();
    };
    expect(await poll()).toBe(false);
    await server.kill();
    await expect.poll(poll).toBe(true);
    await server.run();
    await expect.poll(poll).toBe(false);
  });

  /** Of the statement that ends a call, and of the one that redeems a token: each commits by itself. */
  const END = '"ended" as';
  const REDEMPTION = '"token" as';

  describe("K3: transactions that conflict", () => {
    let database: PostgresDatabase;
    let tries: number;

    beforeEach(async () => {
      await server.query("CREATE TABLE account (id int PRIMARY KEY, amount int)", direct);
      await server.query("INSERT INTO account VALUES (1, 0), (2, 0)", direct);
      database = new PostgresDatabase(new Pool({ url: direct, connectionsMax: 4, clock: systemClock }));
      tries = 0;
    });
    afterEach(() => database.db.destroy());

    const add = (db: Kysely<Tables>, id: number) =>
      sql`UPDATE account SET amount = amount + 1 WHERE id = ${id}`.execute(db);
    const amounts = async () =>
      (await server.query("SELECT amount FROM account ORDER BY id", direct)).map(({ amount }) => amount);

    test("are run again until they have their effect, each once", async () => {
      const conflicts = POSTGRES_TRIES_MAX - 1;
      await database.transaction(async (tx) => {
        tries += 1;
        await sql`SELECT amount FROM account`.execute(tx);
        // Another program changes the row that this transaction has read and is about to change.
        if (tries <= conflicts) await add(database.db, 1);
        await add(tx, 1);
      });
      expect([tries, await amounts()]).toEqual([conflicts + 1, [conflicts + 1, 0]]);
    });

    test("find a key that another has taken since they looked", async () => {
      const keep = (db: Kysely<Tables>) => sql`INSERT INTO account VALUES (3, 0)`.execute(db);
      const keptByOther = await database.transaction(async (tx) => {
        tries += 1;
        const { rows } = await sql`SELECT id FROM account WHERE id = 3`.execute(tx);
        if (rows.length > 0) return true;
        // Another program, whose transactions are not serializable, takes it meanwhile.
        await keep(database.db);
        await keep(tx);
        return false;
      });
      expect([tries, keptByOther, await amounts()]).toEqual([2, true, [0, 0, 0]]);
    });

    test("are given up soon where a key stays taken: that is a defect, and no conflict", async () => {
      const trying = database.transaction(async (tx) => {
        tries += 1;
        await sql`INSERT INTO account VALUES (1, 0)`.execute(tx);
      });
      await expect(trying).rejects.toMatchObject({ code: "23505" });
      expect(tries).toBe(1 + POSTGRES_TAKEN_KEY_RETRIES_MAX);
    });

    test("in a deadlock are both done", async () => {
      const both = barrier(2);
      const move = (first: number, second: number) =>
        database.transaction(async (tx) => {
          tries += 1;
          await add(tx, first);
          await both();
          await add(tx, second);
        });
      await Promise.all([move(1, 2), move(2, 1)]);
      expect([tries, await amounts()]).toEqual([3, [2, 2]]);
    });

    test("without end are given up as unavailable, without an effect", async () => {
      const trying = database.transaction(async (tx) => {
        tries += 1;
        await sql`SELECT amount FROM account`.execute(tx);
        await add(database.db, 1);
        await add(tx, 1);
      });
      await expect(trying).rejects.toEqual(UNAVAILABLE);
      expect([tries, await amounts()]).toEqual([POSTGRES_TRIES_MAX, [POSTGRES_TRIES_MAX, 0]]);
    });
  });

  test("K13: a schema of a later version is refused in one line that names it, and nothing is changed", async () => {
    await server.query(
      "INSERT INTO kysely_migration (name, timestamp) VALUES ('9999-from-the-future', '2027-01-01')",
      direct,
    );
    await expect(openPostgresStores(direct, systemClock)).rejects.toThrow(/9999-from-the-future/);
  });

  test("K12: neither the server's time zone nor its clock decides a time in a record", async () => {
    const name = new URL(direct).pathname.slice(1);
    await server.query(`ALTER DATABASE ${name} SET timezone = 'Pacific/Kiritimati'`);
    proxy.cutAll();
    await expect.poll(async () => await create().catch(() => undefined)).toBeDefined();
    const [call] = await calls();
    expect(call?.createdAtMs).toBe(clock.epochMs());
  });
});

/** Resolves for each of so many callers when all of them wait, and at once for later ones. */
function barrier(count: number): () => Promise<void> {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting === count) open();
    return opened;
  };
}

async function openClient(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  return client;
}
