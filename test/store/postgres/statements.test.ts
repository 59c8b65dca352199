import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import { type AccountId, asNodeName } from "../../../src/core/ids.ts";
import type { NodeHolder } from "../../../src/store/cluster/node-store.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, TURNS } from "../../support/calls/stored-calls.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";
import { SEALING_KEYS } from "../../support/stores/keys.ts";
import { redeemedBy } from "../../support/tokens.ts";

const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

describe.skipIf(!hasPostgres)("statements of a call (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let url: string;
  let stores: Stores;
  let accountId: AccountId;

  beforeEach(async () => {
    server = await PostgresServer.start({ settings: { shared_preload_libraries: "pg_stat_statements" } });
    url = await server.createDatabase();
    await server.query("CREATE EXTENSION pg_stat_statements", url);
    let holder: NodeHolder | undefined;
    stores = await openPostgresStores(url, systemClock, { holderOf: () => holder });
    accountId = await stores.accounts.ensure("first");
    holder = { name: asNodeName("one"), incarnation: await stores.epochs.next() };
    await stores.nodes.register({
      ...{ holder, installation: "disk", mediaUrl: "wss://one.example", webrtcUrl: undefined, relayUrl: undefined },
      ...{ version: "trunkline/1.0.0", ipcVersion: 9, journalVersion: 14 },
    });
  });
  afterEach(async () => {
    await stores.close();
    await server.remove();
  });

  /** How many statements this takes, without those by which every process asks Postgres for its time. */
  async function statementsOf(work: () => Promise<unknown>): Promise<number> {
    await server.query("SELECT pg_stat_statements_reset()", url);
    await work();
    const rows = await server.query<{ count: string }>(
      `SELECT sum(calls) AS count FROM pg_stat_statements
       WHERE query NOT LIKE '%pg_stat_statements%' AND query NOT LIKE '%pg_is_in_recovery%'`,
      url,
    );
    return Number(rows[0]?.count ?? 0);
  }

  async function endedCall(): Promise<readonly number[]> {
    const counts: number[] = [];
    const counted = async <T>(work: () => Promise<T>): Promise<T> => {
      let result: T | undefined;
      counts.push(
        await statementsOf(async () => {
          result = await work();
        }),
      );
      return result as T;
    };
    const { id, tokenHash } = await counted(() => createCall(stores, accountId));
    expect(await counted(() => stores.redemptions.redeem(tokenHash, redeemedBy("worker-1")))).toMatchObject({
      callId: id,
    });
    const end = {
      status: "ended",
      endReason: "caller_hangup",
      durationMs: 5_000,
      turns: TURNS,
      hasJournal: true,
    } as const;
    expect(await counted(() => stores.calls.finish(id, { ...end, endedAtMs: systemClock.epochMs() }))).toBe(true);
    await counted(() => stores.calls.setRecording(id, RECORDING));
    expect(await stores.calls.transcript(accountId, id)).toEqual(TURNS);
    expect(await stores.calls.get(accountId, id)).toMatchObject({ status: "ended", recording: RECORDING });
    return counts;
  }

  test("where no webhook wants its events, a call is created by one, redeemed by three, ended by two and its recording noted by one", async () => {
    expect(await endedCall()).toEqual([1, 3, 2, 1]);
    expect((await stores.jobs.list({ kind: "recording.render", limit: 2 })).jobs).toHaveLength(1);
  });

  test("the events of an account with a webhook are stored in the transactions of their facts", async () => {
    const webhooks = stores.openWebhooks(SEALING_KEYS);
    const eventTypes = ["call.created", "call.started", "call.ended", "recording.ready"] as const;
    await webhooks.create(accountId, { url: "https://example.com/events", eventTypes, description: "", enabled: true });
    expect(await endedCall()).toEqual([6, 10, 9, 6]);
    expect((await stores.jobs.list({ kind: "webhook.deliver", limit: 10 })).jobs).toHaveLength(eventTypes.length);
  });
});
