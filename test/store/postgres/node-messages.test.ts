import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { NodeMessages } from "../../../src/cluster/node-messages.ts";
import { systemClock } from "../../../src/core/clock.ts";
import type { NodeMessageId } from "../../../src/core/ids.ts";
import { NODE_ANSWER_MS_MAX, NODE_REQUESTS_HANDLED_MAX } from "../../../src/core/limits/cluster/node-messages.ts";
import { newId } from "../../../src/core/new-id.ts";
import type { NewNodeMessage, NodeMessageStore } from "../../../src/store/cluster/node-message-store.ts";
import { openPostgresNodeMessages } from "../../../src/store/postgres/open-node-messages.ts";
import { openPostgresStores } from "../../../src/store/postgres/open-stores.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import { A, B, END } from "../../contract/cluster/node-messages.ts";
import { type PostgresNodeOptions, postgresNode } from "../../support/cluster/postgres-nodes.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { PostgresProxy } from "../../support/postgres/proxy.ts";
import { hasPostgres, PostgresServer } from "../../support/postgres/server.ts";

const UNAVAILABLE = expect.objectContaining({ code: "unavailable" });
const UNREACHABLE = expect.objectContaining({ code: "node_unreachable" });

describe.skipIf(!hasPostgres)("messages of nodes and faults of Postgres (only where postgresql is installed)", () => {
  let server: PostgresServer;
  let proxy: PostgresProxy;
  let direct: string;
  let clock: ManualClock;
  const open: NodeMessages[] = [];

  beforeAll(async () => {
    server = await PostgresServer.start();
  });
  afterAll(() => server?.remove());
  beforeEach(async () => {
    clock = new ManualClock();
    proxy = await PostgresProxy.start(server.port);
    direct = await server.createDatabase();
    await (await openPostgresStores(direct, systemClock)).close();
  });
  afterEach(async () => {
    for (const messages of open.splice(0)) await messages.close();
    await proxy.close();
  });

  const join = async (options: Pick<PostgresNodeOptions, "node"> & Partial<PostgresNodeOptions>) => {
    const joined = await postgresNode({ url: direct, clock, ...options });
    open.push(joined.messages);
    return joined;
  };
  /** Nodes of which `b` reaches the database by the proxy, and how often it was asked to end a call. */
  const twoNodes = async (around?: (store: NodeMessageStore) => NodeMessageStore) => {
    const a = await join({ node: A });
    const b = await join({ node: B, url: proxy.url(direct), ...(around !== undefined && { around }) });
    const ends: NodeMessageId[] = [];
    b.messages.onRequest("end-call", (_, { id }) => {
      ends.push(id);
      return true;
    });
    return { a: a.messages, b, ends };
  };
  const rows = async (): Promise<number> =>
    (await server.query<{ count: string }>("SELECT count(*) FROM node_messages", direct)).map(
      ({ count }) => +count,
    )[0] ?? Number.NaN;

  /** Moves time slowly, for the database takes none of it. */
  const driven = async <T>(promise: Promise<T>): Promise<T> => {
    let isOpen = true;
    promise
      .catch(() => {})
      .finally(() => {
        isOpen = false;
      });
    while (isOpen) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      clock.advance(10);
    }
    return await promise;
  };

  test("a request whose notification is lost with the connection is found when the connection is back", async () => {
    const { a, b, ends } = await twoNodes();
    proxy.cutAll();
    await expect.poll(() => b.isListening()).toBe(false);
    const waiting = a.request(B, "end-call", END);
    expect(await waiting).toBe(true);
    expect(ends).toHaveLength(1);
    await expect.poll(() => b.isListening()).toBe(true);
    expect(await a.request(B, "end-call", END)).toBe(true);
  });

  test("a connection that the server ends is replaced, on either side", async () => {
    const { a, ends } = await twoNodes();
    for (let times = 1; times <= 3; times += 1) {
      await server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname = current_database()",
        direct,
      );
      await expect.poll(() => a.request(B, "end-call", END).catch(() => false)).toBe(true);
    }
    expect(new Set(ends).size).toBe(ends.length);
  });

  test("messages that were read by a node which did not get them are read again, and handled once", async () => {
    const { a, b, ends } = await twoNodes();
    // The server commits the reading, and its answer is lost.
    proxy.cutAt("update node_messages set taken_by", "after");
    const waiting = a.request(B, "end-call", END);
    await expect.poll(() => proxy.cuts).toBe(1);
    expect(await driven(waiting)).toBe(true);
    expect(ends).toHaveLength(1);
    await expect.poll(() => b.isListening()).toBe(true);
  });

  test("an answer whose storing fails is stored again, and the request is not handled again", async () => {
    const { a, ends } = await twoNodes();
    proxy.cutAt("update node_messages set answer", "before");
    const waiting = a.request(B, "end-call", END);
    await expect.poll(() => proxy.cuts).toBe(1);
    expect(await driven(waiting)).toBe(true);
    expect(ends).toHaveLength(1);
  });

  test("a server that is killed and comes back loses no request that it has taken", async () => {
    const { a, b } = await twoNodes();
    expect(await a.request(B, "end-call", END)).toBe(true);
    await server.kill();
    await expect(a.request(B, "end-call", END)).rejects.toEqual(UNAVAILABLE);
    await server.run();
    await expect.poll(() => a.request(B, "end-call", END).catch(() => false), { timeout: 10_000 }).toBe(true);
    await expect.poll(() => b.isListening(), { timeout: 10_000 }).toBe(true);
  }, 30_000);

  test("while the server hangs, requests are unavailable after their time, and answered when it goes on", async () => {
    const { a } = await twoNodes();
    server.pause();
    const waiting = a.request(B, "end-call", END);
    waiting.catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 50));
    clock.advance(NODE_ANSWER_MS_MAX);
    await expect(waiting).rejects.toEqual(UNAVAILABLE);
    server.resume();
    await expect.poll(() => a.request(B, "end-call", END).catch(() => false), { timeout: 10_000 }).toBe(true);
  }, 30_000);

  test("a message that comes twice is handled once", async () => {
    const { a, ends } = await twoNodes((store) => ({
      ...boundOf(store),
      async take(wanted) {
        const taken = await store.take(wanted);
        return [...taken, ...taken];
      },
    }));
    expect(await a.request(B, "end-call", END)).toBe(true);
    expect(ends).toHaveLength(1);
  });

  test("the end of a call reaches a node that was away, after its client was answered that it is unreachable", async () => {
    const { messages: a } = await join({ node: A });
    const waiting = a.request(B, "end-call", END);
    waiting.catch(() => {});
    await expect.poll(rows).toBe(1);
    clock.advance(NODE_ANSWER_MS_MAX);
    await expect(waiting).rejects.toEqual(UNREACHABLE);
    const ends: unknown[] = [];
    await join({
      node: B,
      prepare: (b) =>
        b.onRequest("end-call", (payload) => {
          ends.push(payload);
          return true;
        }),
    });
    await expect.poll(() => ends).toEqual([END]);
  });

  test("nodes with different keys cannot read each other, and say so", async () => {
    const a = await join({ node: A });
    const b = await join({ node: B, keys: new Keyring([sealingKeyOf(Buffer.alloc(32, 8))]) });
    b.messages.onRequest("end-call", () => true);
    await expect(a.messages.request(B, "end-call", END)).rejects.toThrow("SECRETS_KEY");
  });

  test("answered requests leave no row, and nothing readable is in one", async () => {
    const { a, b } = await twoNodes();
    let stored: readonly { body: string }[] = [];
    b.messages.onRequest("listen-address", async () => {
      stored = await server.query<{ body: string }>("SELECT body FROM node_messages", direct);
      return { answer: { kind: "address", url: "wss://b/stream/l_secret", validMs: 1 } };
    });
    expect(await a.request(B, "listen-address", END)).toMatchObject({ answer: { url: "wss://b/stream/l_secret" } });
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(END.callId);
    await expect.poll(rows).toBe(0);
  });

  describe("the store", () => {
    let store: NodeMessageStore;
    let close: () => Promise<void>;
    beforeEach(() => {
      ({ store, close } = openPostgresNodeMessages(direct, systemClock));
    });
    afterEach(() => close());

    const message = (more: Partial<NewNodeMessage> = {}): NewNodeMessage => ({
      ...{ id: newId("message"), from: A, to: B, kind: "end-call", body: "sealed", lastsMs: 60_000 },
      isRepeatable: false,
      ...more,
    });
    const take = (taker: string, except: readonly NodeMessageId[] = []) =>
      store.take({ node: B, taker, except, limit: NODE_REQUESTS_HANDLED_MAX });

    test("a message is taken by its node, in order, and by no other", async () => {
      const [first, second] = [message(), message()];
      await store.send(first);
      await store.send(second);
      expect(await store.take({ node: A, taker: "a1", except: [], limit: 9 })).toEqual([]);
      expect((await take("b1")).map(({ id }) => id)).toEqual([first.id, second.id]);
      expect(await take("b1", [first.id, second.id])).toEqual([]);
    });

    test("a later start takes again what may be done twice, and nothing else", async () => {
      const [once, repeatable] = [message(), message({ isRepeatable: true })];
      await store.send(once);
      await store.send(repeatable);
      expect(await take("b1")).toHaveLength(2);
      expect((await take("b2")).map(({ id }) => id)).toEqual([repeatable.id]);
      expect((await take("b1")).map(({ id }) => id)).toEqual([once.id, repeatable.id]);
    });

    test("a message that is over, or answered, is not taken", async () => {
      const [late, answered] = [message({ lastsMs: 0 }), message()];
      await store.send(late);
      await store.send(answered);
      await store.answer(answered, "an answer");
      expect(await take("b1")).toEqual([]);
      expect(await store.answers([late.id, answered.id])).toEqual([{ id: answered.id, answer: "an answer" }]);
    });

    test("messages that are long over are deleted, and an answer to one does nothing", async () => {
      const [old, recent] = [message({ lastsMs: -61_000 }), message()];
      await store.send(old);
      await store.send(recent);
      expect(await store.deleteOld()).toBe(1);
      await store.answer(old, "an answer");
      expect(await store.answers([old.id])).toEqual([]);
      await store.delete([recent.id]);
      expect(await rows()).toBe(0);
    });

    test("of two takers at once one gets a message", async () => {
      for (let times = 0; times < 20; times += 1) {
        await store.send(message());
        const taken = await Promise.all([take("b1"), take("b2")]);
        expect(taken.flat().filter(({ id }) => id !== undefined)).toHaveLength(1);
        await server.query("DELETE FROM node_messages", direct);
      }
    });
  });
});

/** The store's methods, which need it as `this`. */
const boundOf = (store: NodeMessageStore): NodeMessageStore => ({
  send: (message) => store.send(message),
  take: (wanted) => store.take(wanted),
  answer: (message, answer) => store.answer(message, answer),
  answers: (ids) => store.answers(ids),
  delete: (ids) => store.delete(ids),
  deleteOld: () => store.deleteOld(),
  announce: (text) => store.announce(text),
});
