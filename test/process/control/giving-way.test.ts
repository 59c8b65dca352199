import { expect, test } from "vitest";
import { asCallId, asWorkerId, type CallId, type WorkerId } from "../../../src/core/ids.ts";
import {
  GIVING_WAY_ENDS_MS_MAX,
  GIVING_WAY_POLL_MS,
  GIVING_WAY_SHIPMENT_MS_MAX,
} from "../../../src/core/limits/cluster/nodes.ts";
import { SEGMENT_LATE_MS, SEGMENT_S_DEFAULT } from "../../../src/core/limits/storage/bucket.ts";
import { giveWay } from "../../../src/process/control/giving-way.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const [ONE, OTHER] = [asCallId("call_one"), asCallId("call_other")];
const [WORKER, LOST_WORKER] = [asWorkerId("worker-1"), asWorkerId("worker-lost")];

/** A node that gives way, with these calls, and what it does, in order. */
function givingWay(carried: Map<CallId, WorkerId>, ships: () => Promise<void> = async () => {}) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const done: string[] = [];
  void giveWay({
    carriedCalls: () => carried,
    endCall(workerId, callId, reason) {
      done.push(`end ${callId} at ${workerId} as ${reason}`);
      return workerId === WORKER;
    },
    shipNow() {
      done.push("ship");
      return ships();
    },
    clock,
    log,
  }).then(() => done.push("over"));
  const pass = async (ms: number): Promise<void> => {
    for (let passedMs = 0; passedMs < ms; passedMs += GIVING_WAY_POLL_MS) {
      clock.advance(GIVING_WAY_POLL_MS);
      await settled();
    }
  };
  return { done, lines, pass };
}

test("a node whose calls were taken ends them, and ships their journals when the workers have closed them", async () => {
  const carried = new Map([
    [ONE, WORKER],
    [OTHER, WORKER],
  ] as const);
  const { done, lines, pass } = givingWay(carried);
  await settled();
  const ended = [`end ${ONE} at ${WORKER} as worker_lost`, `end ${OTHER} at ${WORKER} as worker_lost`];
  expect(done).toEqual(ended);
  carried.delete(ONE);
  await pass(GIVING_WAY_POLL_MS);
  expect(done).toEqual(ended);
  carried.delete(OTHER);
  await pass(GIVING_WAY_POLL_MS);
  expect(done).toEqual([...ended, "ship", "over"]);
  expect(lines).toEqual([expect.stringContaining("calls that other nodes have taken end")]);
});

test("a node without calls that gives way waits for nothing but the rest of journals", async () => {
  const { done, lines } = givingWay(new Map());
  await settled();
  expect(done).toEqual(["ship", "over"]);
  expect(lines).toEqual([]);
});

test("neither a lost worker nor a bucket that does not answer holds up a node that gives way for longer than its bounds", async () => {
  const { done, pass } = givingWay(new Map([[ONE, LOST_WORKER]]), () => new Promise(() => {}));
  await pass(GIVING_WAY_ENDS_MS_MAX - GIVING_WAY_POLL_MS);
  expect(done).not.toContain("ship");
  await pass(GIVING_WAY_POLL_MS);
  expect(done.at(-1)).toBe("ship");
  await pass(GIVING_WAY_SHIPMENT_MS_MAX);
  expect(done.at(-1)).toBe("over");
});

test("giving way takes less time than others wait for a journal that does not grow", () => {
  const quietMs = SEGMENT_S_DEFAULT * 1_000 + SEGMENT_LATE_MS;
  expect(GIVING_WAY_ENDS_MS_MAX + GIVING_WAY_SHIPMENT_MS_MAX).toBeLessThan(quietMs);
});
