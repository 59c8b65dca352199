import { describe, expect, onTestFinished, test } from "vitest";
import type { AnswerOf } from "../../../src/cluster/message-kinds.ts";
import type { NodeMessages } from "../../../src/cluster/node-messages.ts";
import { unavailable } from "../../../src/core/errors.ts";
import { asAccountId, asCallId, asNodeName, asWorkerId, type NodeName } from "../../../src/core/ids.ts";
import {
  ACTIVITIES_PER_ANNOUNCEMENT,
  NODE_ANSWER_BYTES_MAX,
  NODE_ANSWER_MS_MAX,
  NODE_REQUEST_BYTES_MAX,
  NODE_REQUESTS_PENDING_MAX,
} from "../../../src/core/limits/cluster/node-messages.ts";
import type { ManualClock } from "../../support/manual-clock.ts";

export interface ClusterUnderTest {
  clock: ManualClock;
  /** A node that handles requests from now on, once it can be notified. */
  join(node: NodeName): Promise<NodeMessages>;
  /** Resolves once so many requests in all are on their way: the nodes that have asked know that they are stored. */
  sent(count: number): Promise<void>;
}

export const A = asNodeName("a");
export const B = asNodeName("b");
export const END = { callId: asCallId("call_1"), workerId: asWorkerId("w1"), accountId: asAccountId("account_1") };
const PAGE = { callId: asCallId("call_1"), from: 0, limit: 10 };
const UNAVAILABLE = expect.objectContaining({ code: "unavailable" });

/** What `NodeMessages` promises, for one implementation. `make` is called once a test. */
export function nodeMessagesContract(name: string, make: () => Promise<ClusterUnderTest>): void {
  describe(`messages of nodes: ${name}`, () => {
    const joined = async (): Promise<{ a: NodeMessages; b: NodeMessages } & Omit<ClusterUnderTest, "join">> => {
      const cluster = await make();
      const [a, b] = [await cluster.join(A), await cluster.join(B)];
      onTestFinished(async () => {
        await a.close();
        await b.close();
      });
      return { a, b, clock: cluster.clock, sent: (count) => cluster.sent(count) };
    };

    test("a request gets the answer of the node that it names", async () => {
      const { a, b } = await joined();
      const seen: unknown[] = [];
      b.onRequest("end-call", (payload, { from }) => {
        seen.push({ payload, from });
        return true;
      });
      expect(await a.request(B, "end-call", END)).toBe(true);
      expect(seen).toEqual([{ payload: END, from: A }]);
    });

    test("an answer may be without a value", async () => {
      const { a, b } = await joined();
      b.onRequest("listen-address", () => ({ answer: undefined }));
      expect(await a.request(B, "listen-address", END)).toEqual({});
    });

    test("of many requests at once each gets its own answer", async () => {
      const { a, b } = await joined();
      b.onRequest("resume-address", ({ callId }) => ({ url: `wss://b/${callId}` }));
      const callIds = Array.from({ length: 300 }, (_, at) => asCallId(`call_${at}`));
      const answers = await Promise.all(callIds.map((callId) => a.request(B, "resume-address", { ...END, callId })));
      expect(answers).toEqual(callIds.map((callId) => ({ url: `wss://b/${callId}` })));
    });

    test("both nodes may ask each other at once", async () => {
      const { a, b } = await joined();
      a.onRequest("end-call", () => false);
      b.onRequest("end-call", () => true);
      expect(await Promise.all([a.request(B, "end-call", END), b.request(A, "end-call", END)])).toEqual([true, false]);
    });

    test("what the node cannot do, or does not know, is unavailable, and the error names the node", async () => {
      const { a, b } = await joined();
      b.onRequest("end-call", () => {
        throw unavailable("the worker is gone");
      });
      const failing = a.request(B, "end-call", END);
      await expect(failing).rejects.toEqual(UNAVAILABLE);
      await expect(failing).rejects.toThrow("node b");
      await expect(a.request(B, "call-events", PAGE)).rejects.toEqual(UNAVAILABLE);
    });

    test("a node that does not answer is unreachable after its time, and named", async () => {
      const { a, b, clock, sent } = await joined();
      let answer = (_: boolean): void => {};
      const handled = new Promise<void>((resolve) => {
        b.onRequest("end-call", () => {
          resolve();
          return new Promise((answered) => {
            answer = answered;
          });
        });
      });
      const waiting = a.request(B, "end-call", END);
      let settled = false;
      waiting
        .catch(() => {})
        .finally(() => {
          settled = true;
        });
      await handled;
      // The node that has asked may learn later than the other one that its request is stored.
      await sent(1);
      clock.advance(NODE_ANSWER_MS_MAX - 1);
      await Promise.resolve();
      expect(settled).toBe(false);
      clock.advance(1);
      await expect(waiting).rejects.toMatchObject({
        code: "node_unreachable",
        message: expect.stringContaining("node b"),
      });
      // The answer comes late, and another request does not get it.
      answer(true);
      b.onRequest("end-call", () => false);
      expect(await a.request(B, "end-call", END)).toBe(false);
    });

    test("a node that there is not is unreachable", async () => {
      const { a, clock, sent } = await joined();
      const waiting = a.request(asNodeName("elsewhere"), "call-events", PAGE);
      waiting.catch(() => {});
      await sent(1);
      clock.advance(NODE_ANSWER_MS_MAX);
      await expect(waiting).rejects.toMatchObject({ code: "node_unreachable" });
    });

    test("requests and answers of the largest sizes pass, and larger ones are refused", async () => {
      const { a, b } = await joined();
      const text = "é".repeat(NODE_ANSWER_BYTES_MAX / 2 - 200);
      const page = (words: string): AnswerOf<"call-events"> => ({ events: [{ words }], next: 1, more: "later" });
      b.onRequest("call-events", () => page(text));
      expect(await a.request(B, "call-events", PAGE)).toEqual(page(text));
      b.onRequest("call-events", () => page(text + text));
      await expect(a.request(B, "call-events", PAGE)).rejects.toEqual(UNAVAILABLE);
      const callId = asCallId("x".repeat(NODE_REQUEST_BYTES_MAX - 200));
      b.onRequest("end-call", (end) => end.callId === callId);
      expect(await a.request(B, "end-call", { ...END, callId })).toBe(true);
      const tooLarge = a.request(B, "end-call", { ...END, callId: asCallId(callId.repeat(2)) });
      await expect(tooLarge).rejects.toBeInstanceOf(RangeError);
    });

    test("of a flood as many wait as may, and the others are refused at once", async () => {
      const { a, b } = await joined();
      let go = (): void => {};
      const gate = new Promise<void>((resolve) => {
        go = resolve;
      });
      b.onRequest("end-call", () => gate.then(() => true));
      const waiting = Array.from({ length: NODE_REQUESTS_PENDING_MAX }, () => a.request(B, "end-call", END));
      await expect(a.request(B, "end-call", END)).rejects.toEqual(UNAVAILABLE);
      go();
      expect(new Set(await Promise.all(waiting))).toEqual(new Set([true]));
      expect(await a.request(B, "end-call", END)).toBe(true);
    }, 30_000);

    test("an announcement reaches the other nodes, and not the one that makes it", async () => {
      const { a, b } = await joined();
      const heard: unknown[] = [];
      a.onAnnouncement("activity-wanted", () => heard.push("a"));
      b.onAnnouncement("activity-wanted", (payload, from) => heard.push([payload, from]));
      a.announce("activity-wanted", { isFirst: true });
      await expect.poll(() => heard).toEqual([[{ isFirst: true }, A]]);
    });

    test("an announcement holds as many calls as it may, and throws beyond the limit of a notification", async () => {
      const { a, b } = await joined();
      const call = {
        ...{ callId: asCallId(`call_${"0".repeat(36)}`), accountId: asAccountId(`account_${"0".repeat(36)}`) },
        ...{ state: "listening" as const, agentTurns: 1_000, callerTurns: 1_000, turnDelayMs: 1_234.567_890_123 },
      };
      let heard = 0;
      b.onAnnouncement("activity", ({ calls }) => {
        heard += calls.length;
      });
      a.announce("activity", { calls: Array(ACTIVITIES_PER_ANNOUNCEMENT).fill(call) });
      await expect.poll(() => heard).toBe(ACTIVITIES_PER_ANNOUNCEMENT);
      expect(() => a.announce("activity", { calls: Array(200).fill(call) })).toThrow(RangeError);
    });

    test("when a node closes, its requests are over, and it handles none", async () => {
      const { a, b, clock } = await joined();
      b.onRequest("end-call", () => new Promise(() => {}));
      const waiting = a.request(B, "end-call", END);
      waiting.catch(() => {});
      await a.close();
      await expect(waiting).rejects.toEqual(UNAVAILABLE);
      await expect(a.request(B, "end-call", END)).rejects.toEqual(UNAVAILABLE);
      const asking = b.request(A, "end-call", END);
      asking.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 100));
      clock.advance(NODE_ANSWER_MS_MAX);
      await expect(asking).rejects.toMatchObject({ code: "node_unreachable" });
    });
  });
}
