import { expect, test } from "vitest";
import { unavailable } from "../../../src/core/errors.ts";
import { asCallId, asNodeName, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { NODE_CLOSING_MS, NODE_HEARTBEAT_MS, NODE_LEASE_MS } from "../../../src/core/limits/cluster/nodes.ts";
import { ClusterMember, type ClusterParts } from "../../../src/process/control/cluster.ts";
import type { CallStore } from "../../../src/store/calls/call-store.ts";
import type { NodeStore, Renewal } from "../../../src/store/cluster/node-store.ts";
import type { HandoffHandlers } from "../../../src/store/handoff/thread-client.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const WORKER = asWorkerId("worker-1");
const [OWN, TAKEN, LATER] = [asCallId("call_own"), asCallId("call_taken"), asCallId("call_later")];

/** A node whose worker has calls of before its start, one of which another node has taken. */
async function member() {
  const clock = new ManualClock();
  const store = {
    isAway: false,
    renewal: "renewed" as Renewal,
    waiting: [] as readonly object[],
    dialled: [] as readonly object[],
  };
  const nodes = {
    register: async () => ({ kind: "registered", calls: 1 }),
    listUnnamed: async () => [],
    adopt: async () => 0,
    renew: async () => store.renewal,
    takeExpired: async () => [],
    list: async () => [],
  };
  const done: string[] = [];
  const calls = {
    async listActive() {
      if (store.isAway) throw unavailable("no answer");
      return [{ id: OWN }];
    },
    async listWaiting() {
      if (store.isAway) throw unavailable("no answer");
      return store.waiting;
    },
  };
  const joined = await ClusterMember.join({
    settings: { name: asNodeName("one"), mediaUrl: undefined, relayUrl: undefined },
    incarnation: 2,
    nodes: nodes as unknown as NodeStore,
    calls: calls as unknown as Pick<CallStore, "listActive" | "listWaiting">,
    dataDir: temporaryDirectory(),
    webrtcUrl: undefined,
    onFenced: () => void done.push("the process ends"),
    clock,
    log: memoryLog().log,
  });
  const handlers = joined.following({ onWorkerConnected() {} } as unknown as HandoffHandlers);
  const connect = (connection: number, callIds: readonly CallId[]): void =>
    handlers.onWorkerConnected(WORKER, connection, callIds, {} as never);
  return { joined, clock, store, connect, done };
}

test("whose a call of before the start is, is unknown until the store has answered, and stays so where another node has taken it", async () => {
  const { joined, clock, store, connect } = await member();
  store.isAway = true;
  connect(1, [OWN, TAKEN]);
  await settled();
  expect([OWN, TAKEN].map((callId) => joined.ownershipOf(callId))).toEqual(["unknown", "unknown"]);
  store.isAway = false;
  clock.advance(1_000);
  await settled();
  expect([OWN, TAKEN].map((callId) => joined.ownershipOf(callId))).toEqual(["certain", "unknown"]);
});

test("a call that was redeemed since is this node's as long as its lease is certain, also when its worker connects again", async () => {
  const { joined, clock, store, connect } = await member();
  connect(1, [OWN]);
  await settled();
  store.isAway = true;
  connect(2, [OWN, LATER]);
  await settled();
  expect([OWN, LATER].map((callId) => joined.ownershipOf(callId))).toEqual(["certain", "certain"]);
  clock.advance(NODE_LEASE_MS);
  expect([OWN, LATER].map((callId) => joined.ownershipOf(callId))).toEqual(["possible", "possible"]);
});

test("a node that drains waits for the calls that are placed on it, also while its store does not answer, and no longer", async () => {
  const { joined, clock, store } = await member();
  joined.start({ phoneCalls: { listPending: async () => store.dialled } } as unknown as ClusterParts);
  let hasNone = false;
  void joined.placedCallsBegun().then(() => {
    hasNone = true;
  });
  const look = async (): Promise<boolean> => {
    clock.advance(NODE_HEARTBEAT_MS);
    await settled();
    return hasNone;
  };
  // Others may place calls on it until they have read that it drains.
  clock.advance(NODE_CLOSING_MS - 1);
  await settled();
  expect(hasNone).toBe(false);
  store.waiting = [{}];
  expect(await look()).toBe(false);
  store.isAway = true;
  expect(await look()).toBe(false);
  Object.assign(store, { isAway: false, waiting: [], dialled: [{}] });
  expect(await look()).toBe(false);
  store.dialled = [];
  expect(await look()).toBe(true);
});

/** Its workers are there. */
function started(joined: ClusterMember, giveWay: () => Promise<void>): void {
  const load = () => ({ state: "accepting", callSlots: 1, calls: 0, webrtcSlots: 0, webrtcCalls: 0 });
  joined.start({ load, giveWay, sendRelayNodes() {} } as unknown as ClusterParts);
}

test("a node whose calls were taken gives way before its process ends", async () => {
  const { joined, clock, store, done } = await member();
  let end = (): void => {};
  started(joined, () => {
    done.push("gives way");
    return new Promise((resolve) => {
      end = resolve;
    });
  });
  store.renewal = "taken";
  clock.advance(NODE_HEARTBEAT_MS);
  await settled();
  expect(done).toEqual(["gives way"]);
  end();
  await settled();
  expect(done).toEqual(["gives way", "the process ends"]);
});

test("calls of a start that the database does not know go on: a replica became the primary, and no node has taken them", async () => {
  const { joined, clock, store, done } = await member();
  started(joined, async () => void done.push("gives way"));
  store.renewal = "unknown";
  clock.advance(NODE_HEARTBEAT_MS);
  await settled();
  expect(done).toEqual(["the process ends"]);
});

test("a node whose calls were taken while it starts ends at once", async () => {
  const { clock, store, done } = await member();
  store.renewal = "taken";
  clock.advance(NODE_HEARTBEAT_MS);
  await settled();
  expect(done).toEqual(["the process ends"]);
});
