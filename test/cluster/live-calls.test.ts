import { beforeEach, describe, expect, test } from "vitest";
import { type LiveCalls, LiveCallsOfNodes } from "../../src/cluster/live-calls.ts";
import { NodeHolds } from "../../src/cluster/node-holds.ts";
import type { NodeMessages } from "../../src/cluster/node-messages.ts";
import { epochMs } from "../../src/core/clocks.ts";
import { asAccountId, asCallId, asNodeName, asWorkerId, type CallId, type NodeName } from "../../src/core/ids.ts";
import {
  HOLDS_ANNOUNCED_MS,
  HOLDS_FORGOTTEN_MS,
  NODE_ANSWER_MS_MAX,
} from "../../src/core/limits/cluster/node-messages.ts";
import { LiveHolds } from "../../src/process/control/calls/live-holds.ts";
import { MemoryCluster } from "../support/cluster/memory-node-messages.ts";
import { ManualClock, settled } from "../support/manual-clock.ts";
import { memoryLog } from "../support/memory-log.ts";

const [A, B] = [asNodeName("a"), asNodeName("b")];
const CALL = { id: asCallId("call_1"), accountId: asAccountId("account_1") };
const WORKER = asWorkerId("worker of b");

/** A node whose calls record what they are asked, and answer as if all was well. */
function nodeOf(messages: NodeMessages, clock: ManualClock, carriers: ReadonlyMap<CallId, NodeName>) {
  const asked: string[] = [];
  const localHolds = new LiveHolds();
  const holds = new NodeHolds({ here: localHolds, messages, clock });
  const here: LiveCalls = {
    endCall: (_, { id }) => asked.push(`end ${id}`) > 0,
    async requestLive(workerId, callId, { kind }) {
      asked.push(kind);
      holds.reported(workerId, { callId, ...(kind === "hold" && { sinceMs: epochMs(5) }) });
      return "done";
    },
    listenAddress: async () => ({ kind: "address", url: `wss://${messages.node}/stream/l_1`, validMs: 60_000 }),
    phoneUpdate: async (_workerId, _callId, { kind }) => asked.push(kind) > 0,
    resumeAddress: async () => `wss://${messages.node}/stream/r_1`,
    async requestPhone(_, { kind }) {
      asked.push(kind);
      return { kind: "refused", reason: "the call has no media stream", isInvalid: false };
    },
    callEvents: async (_, from) => ({ events: [{ of: messages.node }], next: from + 1, more: "later" }),
  };
  const calls = new LiveCallsOfNodes({
    ...{ here, messages, holds, log: memoryLog().log },
    hasWorker: (workerId) => messages.node === B && workerId === WORKER,
    nodes: { nodeOf: async (callId) => carriers.get(callId) },
  });
  calls.serve();
  holds.start();
  return { calls, asked, holds, localHolds };
}

let clock: ManualClock;
let carriers: Map<CallId, NodeName>;
let b: NodeMessages;
let atA: ReturnType<typeof nodeOf>;
let atB: ReturnType<typeof nodeOf>;
beforeEach(() => {
  clock = new ManualClock();
  const cluster = new MemoryCluster(clock);
  carriers = new Map([[CALL.id, B]]);
  b = cluster.join(B);
  atB = nodeOf(b, clock, carriers);
  atA = nodeOf(cluster.join(A), clock, carriers);
});

describe("what is asked of a call of another node", () => {
  test("is done by that node", async () => {
    const { calls } = atA;
    expect(await calls.endCall(WORKER, CALL)).toBe(true);
    expect(await calls.requestLive(WORKER, CALL.id, { kind: "pause-recording" })).toBe("done");
    expect(await calls.phoneUpdate(WORKER, CALL.id, { kind: "end-leg" })).toBe(true);
    expect(await calls.requestPhone(CALL.id, { kind: "send_dtmf", digits: "1" }, "api_hangup")).toMatchObject({
      kind: "refused",
      reason: "the call has no media stream",
    });
    expect(await calls.listenAddress(WORKER, CALL.id)).toMatchObject({ url: "wss://b/stream/l_1" });
    expect(await calls.resumeAddress(WORKER, CALL.id)).toBe("wss://b/stream/r_1");
    expect(await calls.callEvents(CALL.id, 7, 10)).toEqual({ events: [{ of: "b" }], next: 8, more: "later" });
    expect(atA.asked).toEqual([]);
    expect(atB.asked).toEqual(["end call_1", "pause-recording", "end-leg", "send_dtmf"]);
  });

  test("is done here where no node has the call, or this one", async () => {
    carriers.delete(CALL.id);
    await atA.calls.endCall(WORKER, CALL);
    carriers.set(CALL.id, A);
    await atA.calls.requestPhone(CALL.id, { kind: "hang_up" }, "api_hangup");
    expect([atA.asked, atB.asked]).toEqual([["end call_1", "hang_up"], []]);
  });

  test("is done by its worker, without a look at the database, where that is connected here", async () => {
    carriers.set(CALL.id, A);
    await atB.calls.endCall(WORKER, CALL);
    expect(atB.asked).toEqual(["end call_1"]);
  });

  test("fails with the name of the node where that does not answer, but for what the machine of a telephone call does", async () => {
    await b.close();
    const { calls } = atA;
    const failing = [
      calls.endCall(WORKER, CALL),
      calls.requestLive(WORKER, CALL.id, { kind: "resume" }),
      calls.listenAddress(WORKER, CALL.id),
      calls.requestPhone(CALL.id, { kind: "hang_up" }, "api_hangup"),
      calls.callEvents(CALL.id, 0, 1),
    ];
    const informing = calls.phoneUpdate(WORKER, CALL.id, { kind: "end-leg" });
    const address = calls.resumeAddress(WORKER, CALL.id);
    const results = Promise.allSettled(failing);
    await clock.play(NODE_ANSWER_MS_MAX);
    for (const result of await results)
      expect(result).toMatchObject({ status: "rejected", reason: { code: "node_unreachable" } });
    expect([await informing, await address]).toEqual([false, undefined]);
  });
});

describe("who is on hold", () => {
  test("is known at all nodes, from the answer on", async () => {
    await atA.calls.requestLive(WORKER, CALL.id, { kind: "hold", msMax: 1_000 });
    expect(atA.holds.sinceMs(CALL.id)).toBe(epochMs(5));
    await atB.calls.requestLive(WORKER, CALL.id, { kind: "resume" });
    await settled();
    expect([atA.holds.sinceMs(CALL.id), atB.holds.sinceMs(CALL.id)]).toEqual([undefined, undefined]);
  });

  test("is over with the call", async () => {
    atB.holds.reported(WORKER, { callId: CALL.id, sinceMs: epochMs(5) });
    await settled();
    expect(atA.holds.sinceMs(CALL.id)).toBe(epochMs(5));
    atB.holds.ended(CALL.id);
    await settled();
    expect(atA.holds.sinceMs(CALL.id)).toBeUndefined();
  });

  test("is repeated, and forgotten of a node that says nothing any more", async () => {
    atB.holds.reported(WORKER, { callId: CALL.id, sinceMs: epochMs(5) });
    await clock.play(HOLDS_FORGOTTEN_MS + HOLDS_ANNOUNCED_MS);
    expect(atA.holds.sinceMs(CALL.id)).toBe(epochMs(5));
    await b.close();
    await clock.play(HOLDS_FORGOTTEN_MS);
    expect(atA.holds.sinceMs(CALL.id)).toBeUndefined();
  });

  test("a node that starts later learns of it", async () => {
    const cluster = new MemoryCluster(clock);
    const first = nodeOf(cluster.join(B), clock, carriers);
    first.holds.reported(WORKER, { callId: CALL.id, sinceMs: epochMs(5) });
    const later = nodeOf(cluster.join(A), clock, carriers);
    await settled();
    expect(later.holds.sinceMs(CALL.id)).toBe(epochMs(5));
  });
});
