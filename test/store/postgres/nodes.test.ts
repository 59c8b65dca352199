import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CallSpec } from "../../../src/core/calls/spec.ts";
import { systemClock } from "../../../src/core/clock.ts";
import {
  type AccountId,
  asCarrierId,
  asNodeName,
  asPhoneNumberId,
  asTranscriptionId,
  asWorkerId,
  type CallId,
} from "../../../src/core/ids.ts";
import { NODE_LEASE_MS } from "../../../src/core/limits/cluster/nodes.ts";
import { RESULT_TEXT_CHARS_MAX } from "../../../src/core/limits/transcriptions/transcriptions.ts";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import type { NewCall } from "../../../src/store/calls/call-store.ts";
import type { NewNode, NodeHolder, NodeLoad } from "../../../src/store/cluster/node-store.ts";
import { DELIVERY_JOB, RENDER_JOB, TRANSCRIPTION_JOB } from "../../../src/store/job-kinds.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, SPEC, TURNS } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { hasPostgres } from "../../support/postgres/server.ts";
import { migratedDatabase, postgresServer } from "../../support/stores/every-store.ts";
import { redeemedBy } from "../../support/tokens.ts";
import { RESULT } from "../../support/transcriptions/stored.ts";

/** Of the journals that these nodes write. */
const JOURNAL_VERSION = 14;
const LOAD: NodeLoad = { state: "accepting", callSlots: 10, calls: 2, webrtcSlots: 0, webrtcCalls: 0 };
const CLOCK = new ManualClock();
const WORKER = asWorkerId("worker-1");

describe.skipIf(!hasPostgres)("nodes on one database (only where postgresql is installed)", () => {
  let url: string;
  let accountId: AccountId;
  const opened: Stores[] = [];

  beforeEach(async () => {
    url = await migratedDatabase();
  });
  afterEach(async () => {
    for (const stores of opened.splice(0)) await stores.close();
  });

  const sql = async (text: string) => await (await postgresServer()).query(text, url);
  /** As if the node had not been heard of since then, by the server's clock. */
  const endLease = (name: string) => sql(`UPDATE nodes SET lease_until = 1, renewed_since = 1 WHERE name = '${name}'`);
  /** The node has had its lease for long enough to take others. */
  const hasHadLease = (name: string) => sql(`UPDATE nodes SET renewed_since = 1 WHERE name = '${name}'`);

  interface Node {
    stores: Stores;
    holder: NodeHolder;
  }

  /** Opens the stores of a start of this node, and registers it. */
  async function startOf(
    name: string,
    installation = `disk of ${name}`,
    journalVersion = JOURNAL_VERSION,
    through = url,
  ): Promise<Node & { registration: unknown }> {
    let holder: NodeHolder | undefined;
    const stores = await openPostgresStores(through, systemClock, { holderOf: () => holder });
    opened.push(stores);
    accountId = await stores.accounts.ensure("first");
    holder = { name: asNodeName(name), incarnation: await stores.epochs.next() };
    const registration = await stores.nodes.register({ ...nodeOf(holder, installation), journalVersion });
    return { stores, holder, registration };
  }

  const nodeOf = (holder: NodeHolder, installation: string): NewNode => ({
    holder,
    installation,
    mediaUrl: `wss://${holder.name}.example`,
    webrtcUrl: undefined,
    relayUrl: `ws://${holder.name}:8081`,
    version: "trunkline/1.0.0",
    ipcVersion: 9,
    journalVersion: JOURNAL_VERSION,
  });

  async function activeCall({ stores, holder }: Node): Promise<CallId> {
    const { id, tokenHash } = await createCall(stores, accountId);
    await stores.redemptions.redeem(tokenHash, redeemedBy(WORKER, { epoch: holder.incarnation }));
    return id;
  }

  const activeIds = async ({ stores }: Node) => (await stores.calls.listActive()).map(({ id }) => id);

  test("a node announces itself, and every node sees all of them", async () => {
    const [one, two] = [await startOf("one"), await startOf("two")];
    expect(await one.stores.nodes.renew(one.holder, LOAD)).toBe("renewed");
    await createCall(two.stores, accountId);
    const list = await two.stores.nodes.list();
    expect(list).toMatchObject([
      { name: "one", mediaUrl: "wss://one.example", state: "accepting", callSlots: 10, calls: 2, waitingCalls: 0 },
      { name: "two", state: "refusing", waitingCalls: 1, waitingWebrtcCalls: 0 },
    ]);
    for (const { leaseLeftMs, takenBy } of list) {
      expect(leaseLeftMs).toBeGreaterThan(0);
      expect(leaseLeftMs).toBeLessThanOrEqual(NODE_LEASE_MS);
      expect(takenBy).toBeUndefined();
    }
  });

  test("a start on the same disk takes the calls of the one before at once, which can end none any more", async () => {
    const before = await startOf("one");
    const callId = await activeCall(before);
    const after = await startOf("one");
    expect(after.registration).toEqual({ kind: "registered", calls: 1 });
    expect([await activeIds(before), await activeIds(after)]).toEqual([[], [callId]]);
    expect(await before.stores.nodes.renew(before.holder, LOAD)).toBe("taken");
    expect(await before.stores.calls.finish(callId, endAt(CLOCK))).toBe(false);
    expect(await after.stores.calls.finish(callId, endAt(CLOCK))).toBe(true);
  });

  test("an end that a node could not store before it was cut off is not taken for the one that another node has stored since", async () => {
    const proxy = await PostgresProxy.start((await postgresServer()).port);
    try {
      const one = await startOf("one", undefined, undefined, proxy.url(url));
      const two = await startOf("two");
      const callId = await activeCall(one);
      proxy.cutAt('update "calls" set "status"', "before");
      await expect(one.stores.calls.finish(callId, endAt(CLOCK))).rejects.toMatchObject({ code: "unavailable" });
      expect(proxy.cuts).toBe(1);
      await hasHadLease("two");
      await endLease("one");
      expect(await two.stores.nodes.takeExpired(two.holder)).toHaveLength(1);
      expect(await two.stores.calls.finish(callId, endAt(CLOCK))).toBe(true);
      expect(await one.stores.calls.finish(callId, endAt(CLOCK))).toBe(false);
      for (const stores of opened.splice(0)) await stores.close();
    } finally {
      await proxy.close();
    }
  });

  test("a start that a replica does not know yet has lost its lease to no other node", async () => {
    const before = await startOf("one");
    const callId = await activeCall(before);
    const unknown: NodeHolder = { name: before.holder.name, incarnation: before.holder.incarnation + 1 };
    expect(await before.stores.nodes.renew(unknown, LOAD)).toBe("unknown");
    expect(await before.stores.nodes.renew({ ...unknown, name: asNodeName("never") }, LOAD)).toBe("unknown");
    expect(await activeIds(before)).toEqual([callId]);
  });

  test("a second node of the same name is refused until the lease of the first has ended", async () => {
    const one = await startOf("one");
    const callId = await activeCall(one);
    expect((await startOf("one", "another disk")).registration).toMatchObject({ kind: "held" });
    expect(await one.stores.nodes.renew(one.holder, LOAD)).toBe("renewed");
    await endLease("one");
    const other = await startOf("one", "another disk");
    expect(other.registration).toEqual({ kind: "registered", calls: 1 });
    expect(await activeIds(other)).toEqual([callId]);
  });

  test("the calls of a node that is gone are taken once, and it writes none of them any more", async () => {
    const [gone, two, three] = [await startOf("gone"), await startOf("two"), await startOf("three")];
    const callIds = [await activeCall(gone), await activeCall(gone)];
    const { tokenHash, id: waiting } = await createCall(gone.stores, accountId);
    const ofTwo = await activeCall(two);
    for (const name of ["two", "three"]) await hasHadLease(name);
    expect(await two.stores.nodes.takeExpired(two.holder)).toEqual([]);
    await endLease("gone");
    const takes = await Promise.all(
      [two, three].flatMap((node) => [1, 2, 3].map(() => node.stores.nodes.takeExpired(node.holder))),
    );
    expect(takes.flat().map(({ name, callIds: ids }) => ({ name, ids: ids.toSorted() }))).toEqual([
      { name: "gone", ids: callIds.toSorted() },
    ]);
    const held = [...(await activeIds(two)), ...(await activeIds(three))];
    expect(held.sort()).toEqual([...callIds, ofTwo].sort());
    expect(await activeIds(gone)).toEqual([]);
    expect(await gone.stores.nodes.renew(gone.holder, LOAD)).toBe("taken");
    await expect(gone.stores.redemptions.redeem(tokenHash, redeemedBy(WORKER))).rejects.toMatchObject({
      code: "unavailable",
    });
    expect(await two.stores.redemptions.redeem(tokenHash, redeemedBy(WORKER))).toMatchObject({ callId: waiting });

    const taker = (await activeIds(two)).includes(callIds[0] as CallId) ? two : three;
    for (const callId of callIds) {
      expect(await gone.stores.calls.finish(callId, endAt(CLOCK, { turns: TURNS }))).toBe(false);
      expect(await taker.stores.calls.finish(callId, endAt(CLOCK, { turns: TURNS.slice(0, 1) }))).toBe(true);
      expect(await gone.stores.calls.finish(callId, endAt(CLOCK, { turns: TURNS }))).toBe(false);
      expect(await taker.stores.calls.transcript(accountId, callId)).toHaveLength(1);
    }
    expect((await startOf("gone")).registration).toEqual({ kind: "registered", calls: 0 });
  });

  test("of the result of a live transcription nothing more is written once another node has taken its call", async () => {
    const [one, two] = [await startOf("one"), await startOf("two")];
    const live: CallSpec = { ...SPEC, mode: "transcription", connectionType: "websocket", tools: [] };
    const { id, tokenHash } = await createCall(one.stores, accountId, live);
    await one.stores.redemptions.redeem(tokenHash, redeemedBy(WORKER, { epoch: one.holder.incarnation }));
    // The call is taken with the first of the texts that the result is stored in.
    await sql(`CREATE FUNCTION take() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      UPDATE calls SET node = 'two', node_incarnation = ${two.holder.incarnation} WHERE id = '${id}';
      RETURN NEW; END $$`);
    await sql("CREATE TRIGGER take AFTER INSERT ON transcription_results FOR EACH ROW EXECUTE FUNCTION take()");
    const ended = (result: TranscriptionResult) =>
      ({ ...endAt(CLOCK, { turns: [] }), transcription: { status: "completed", result } }) as const;
    const long = { ...RESULT, text: "a".repeat(3 * RESULT_TEXT_CHARS_MAX) };
    expect(await one.stores.calls.finish(id, ended(long))).toBe(false);
    expect(await sql("SELECT position FROM transcription_results")).toEqual([{ position: 0 }]);
    // What is left of it is no part of what the other node stores.
    expect(await two.stores.calls.finish(id, ended(RESULT))).toBe(true);
    expect(await one.stores.calls.finish(id, ended(long))).toBe(false);
    expect(await two.stores.transcriptions.result(accountId, asTranscriptionId(id))).toEqual(RESULT);
  });

  test("the calls of a node whose journals an older one may not read wait for a node that does", async () => {
    const newer = JOURNAL_VERSION + 1;
    const gone = await startOf("gone", "disk of gone", newer);
    const callId = await activeCall(gone);
    const [older, same] = [await startOf("older"), await startOf("same", "disk of same", newer)];
    await endLease("gone");
    for (const name of ["older", "same"]) await hasHadLease(name);
    expect(await older.stores.nodes.takeExpired(older.holder)).toEqual([]);
    expect(await same.stores.nodes.takeExpired(same.holder)).toEqual([{ name: "gone", callIds: [callId] }]);
    await endLease("older");
    expect(await same.stores.nodes.takeExpired(same.holder)).toEqual([{ name: "older", callIds: [] }]);
  });

  test("an older version gets the name of a newer one only once a node has taken the calls whose journals it may not read", async () => {
    const newer = JOURNAL_VERSION + 1;
    const before = await startOf("one", "disk of one", newer);
    const callId = await activeCall(before);
    const other = await startOf("two", "disk of two", newer);
    const refused = await startOf("one");
    expect(refused.registration).toEqual({ kind: "unreadable", calls: 1, version: "trunkline/1.0.0" });
    expect([await activeIds(before), await activeIds(refused)]).toEqual([[callId], []]);
    await endLease("one");
    await hasHadLease("two");
    expect(await other.stores.nodes.takeExpired(other.holder)).toEqual([{ name: "one", callIds: [callId] }]);
    expect((await startOf("one")).registration).toEqual({ kind: "registered", calls: 0 });
    expect(await activeIds(other)).toEqual([callId]);
  });

  test("an older version gets the name of a newer one that has left no calls", async () => {
    await startOf("one", "disk of one", JOURNAL_VERSION + 1);
    expect((await startOf("one")).registration).toEqual({ kind: "registered", calls: 0 });
  });

  test("after an outage of the database every node renews its lease before another may take it", async () => {
    const [one, two] = [await startOf("one"), await startOf("two")];
    await activeCall(two);
    for (const name of ["one", "two"]) await endLease(name);
    expect(await one.stores.nodes.takeExpired(one.holder)).toEqual([]);
    expect(await one.stores.nodes.renew(one.holder, LOAD)).toBe("renewed");
    expect(await one.stores.nodes.takeExpired(one.holder)).toEqual([]);
    await hasHadLease("one");
    expect(await two.stores.nodes.renew(two.holder, LOAD)).toBe("renewed");
    expect(await one.stores.nodes.takeExpired(one.holder)).toEqual([]);
  });

  test("a redemption in progress and a takeover of its node never miss each other", async () => {
    for (let round = 0; round < 20; round += 1) {
      const [gone, two] = [await startOf(`gone-${round}`), await startOf("two")];
      await hasHadLease("two");
      const { id, tokenHash } = await createCall(gone.stores, accountId);
      await endLease(`gone-${round}`);
      const [redeemed] = await Promise.all([
        gone.stores.redemptions.redeem(tokenHash, redeemedBy(WORKER)).catch(() => undefined),
        two.stores.nodes.takeExpired(two.holder),
      ]);
      // A takeover does not wait for a redemption in progress: the next one finds what it has left.
      await two.stores.nodes.takeExpired(two.holder);
      expect(await activeIds(two)).toEqual(redeemed === undefined ? [] : [id]);
      if (redeemed !== undefined) await two.stores.calls.finish(id, endAt(CLOCK));
      for (const stores of opened.splice(0)) await stores.close();
    }
  });

  test("a call that stores no words is redeemed only where its words are, while that node is there", async () => {
    const [one, two] = [await startOf("one"), await startOf("two")];
    const spec = { ...SPEC, recordingEnabled: false };
    const [first, second] = [
      await createCall(one.stores, accountId, spec),
      await createCall(one.stores, accountId, spec),
    ];
    const redeemAt = ({ stores }: Node, { tokenHash }: { tokenHash: string }) =>
      stores.redemptions.redeem(tokenHash, redeemedBy(WORKER));
    await expect(redeemAt(two, first)).rejects.toMatchObject({ code: "unavailable" });
    expect(await redeemAt(one, first)).toMatchObject({ callId: first.id, spec: { greeting: spec.greeting } });
    await endLease("one");
    expect(await redeemAt(two, second)).toBeUndefined();
    expect(await two.stores.calls.get(accountId, second.id)).toMatchObject({ status: "expired" });
  });

  test("each node has its own calls that wait, and expires those of nodes that are gone", async () => {
    const [one, two] = [await startOf("one"), await startOf("two")];
    const ofOne = await createCall(one.stores, accountId);
    const ofTwo = await createCall(one.stores, accountId, SPEC, { node: two.holder.name });
    expect((await one.stores.calls.listWaiting()).map(({ id }) => id)).toEqual([ofOne.id]);
    expect((await two.stores.calls.listWaiting()).map(({ id }) => id)).toEqual([ofTwo.id]);
    await sql("UPDATE stream_tokens SET expires_age_ms = 1");
    expect(await one.stores.calls.expire()).toEqual([ofOne.id]);
    await endLease("two");
    expect(await one.stores.calls.expire()).toEqual([ofTwo.id]);
  });

  test("limits of an account and of an API key are exact over all nodes under a race", async () => {
    const nodes = [await startOf("one"), await startOf("two"), await startOf("three")];
    const apiKey = await nodes[0]?.stores.apiKeys.create({ accountId, name: "test" });
    const apiKeyId = apiKey?.record.id;
    const race = async (callsMax: { perAccount?: number; perApiKey?: number }) => {
      const creations = await Promise.all(
        Array.from({ length: 30 }, (_, index) =>
          nodes[index % nodes.length]?.stores.calls.create({
            accountId,
            apiKeyId,
            spec: SPEC,
            tokenHash: `${JSON.stringify(callsMax)} ${index}`,
            tokenTtlMs: 60_000,
            callsMax,
            ...(index % 2 === 0 && {
              idempotency: { keyHash: `${JSON.stringify(callsMax)} ${index}`, fingerprint: "body", sealedToken: "" },
            }),
          }),
        ),
      );
      return creations.filter((creation) => creation?.kind === "created").length;
    };
    expect(await race({ perAccount: 7 })).toBe(7);
    expect(await race({ perAccount: 7 })).toBe(0);
    expect(await race({ perApiKey: 11 })).toBe(4);
  });

  test("the calls that an account creates in a minute are counted exactly over all nodes under a race", async () => {
    const nodes = [await startOf("one"), await startOf("two"), await startOf("three")];
    const create = async (index: number, callsMax: NewCall["callsMax"]) => {
      const idempotency = { keyHash: `key ${index}`, fingerprint: "body", sealedToken: "" };
      return await nodes[index % nodes.length]?.stores.calls.create({
        ...{ accountId, spec: SPEC, tokenHash: `hash ${index}`, tokenTtlMs: 60_000, callsMax },
        ...(index % 2 === 0 && { idempotency }),
      });
    };
    // One comes back after half a minute.
    const perMinute = 2;
    const callsMax = { creationsPerMinute: perMinute };
    const race = await Promise.all(Array.from({ length: 12 }, (_, index) => create(index, callsMax)));
    const kinds = race.map((creation) => creation?.kind);
    expect(kinds.filter((kind) => kind === "created")).toHaveLength(perMinute);
    expect(kinds.filter((kind) => kind === "limit-reached")).toHaveLength(12 - perMinute);
    const refused = race.find((creation) => creation?.kind === "limit-reached");
    expect(refused).toEqual({ kind: "limit-reached", reason: "account_creations", waitMs: expect.any(Number) });

    // What is refused for another reason does not count.
    const full = { creationsPerMinute: 100, perAccount: perMinute };
    expect(await create(20, full)).toEqual({ kind: "limit-reached", reason: "account_calls" });
    const [row] = await sql(`SELECT creations FROM call_counts WHERE owner = '${accountId}'`);
    expect(row?.creations).toBeLessThanOrEqual(perMinute);
  });

  test("an address of a node for the other nodes stands in its row", async () => {
    const one = await startOf("one");
    expect((await one.stores.nodes.list()).map(({ relayUrl }) => relayUrl)).toEqual(["ws://one:8081"]);
  });

  test("the calls of an account, a carrier or a number are counted by one node at a time, whatever the order of their names", async () => {
    const nodes = [await startOf("one"), await startOf("two")];
    const owners = [
      { accountId },
      { carrierId: asCarrierId("carrier_1") },
      { phoneNumberId: asPhoneNumberId("number_1") },
    ];
    let inside = 0;
    const most: number[] = [];
    const work = async (stores: Stores): Promise<void> => {
      inside += 1;
      most.push(inside);
      // Others have the time to come in, if they can.
      await stores.phoneCalls.countLive({ accountId });
      inside -= 1;
    };
    await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const { stores } = nodes[index % 2] as Node;
        return stores.phoneCalls.countAlone(index % 3 === 0 ? owners.toReversed() : owners, () => work(stores));
      }),
    );
    expect(most).toEqual(Array.from({ length: 12 }, () => 1));
  });

  test("a job that needs the files of a node waits for it; one that does not is done elsewhere when the node is gone", async () => {
    const [one, two] = [await startOf("one"), await startOf("two")];
    const kinds = [RENDER_JOB, TRANSCRIPTION_JOB, DELIVERY_JOB];
    for (const kind of kinds) await one.stores.jobs.enqueue({ kind, payload: {} });
    const claim = async ({ stores }: Node, runnerId: string) =>
      (await stores.jobs.claim({ runnerId, kinds, fullLanes: [], limit: 10 })).map(({ kind }) => kind).sort();
    expect(await claim(two, "two")).toEqual([DELIVERY_JOB]);
    await endLease("one");
    expect(await claim(two, "two")).toEqual([RENDER_JOB]);
    expect(await claim(one, "one")).toEqual([TRANSCRIPTION_JOB]);
  });

  test("a service without a name begins only where no node has a lease, and then has their calls", async () => {
    const one = await startOf("one");
    const callId = await activeCall(one);
    const alone = await openPostgresStores(url, systemClock);
    opened.push(alone);
    expect(await alone.calls.listActive()).toEqual([]);
    expect(await alone.nodes.dissolve()).toBe(false);
    await one.stores.nodes.leave(one.holder);
    expect(await alone.nodes.dissolve()).toBe(true);
    expect((await alone.calls.listActive()).map(({ id }) => id)).toEqual([callId]);
    expect(await alone.nodes.list()).toEqual([]);

    const again = await startOf("one");
    expect(await activeIds(again)).toEqual([]);
    expect(await again.stores.nodes.listUnnamed()).toEqual([callId]);
    expect(await again.stores.nodes.adopt(again.holder, [callId])).toBe(1);
    expect(await activeIds(again)).toEqual([callId]);
    expect(await alone.calls.finish(callId, endAt(CLOCK))).toBe(false);
  });
});
