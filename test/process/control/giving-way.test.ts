import { expect, test } from "vitest";
import { asCallId, asWorkerId, type CallId, type WorkerId } from "../../../src/core/ids.ts";
import {
  GIVING_WAY_ENDS_MS_MAX,
  GIVING_WAY_MS_MAX,
  GIVING_WAY_POLL_MS,
} from "../../../src/core/limits/cluster/nodes.ts";
import { SEGMENT_LATE_MS, SEGMENT_S_MIN } from "../../../src/core/limits/storage/bucket.ts";
import { giveWay } from "../../../src/process/control/giving-way.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const [ONE, OTHER] = [asCallId("call_one"), asCallId("call_other")];
const [WORKER, LOST_WORKER] = [asWorkerId("worker-1"), asWorkerId("worker-lost")];
const ENDED = [`end ${ONE} at ${WORKER} as worker_lost`, `end ${OTHER} at ${WORKER} as worker_lost`];

/** A node that gives way, with these calls, and what it does, in order. */
function givingWay(
  carried: Map<CallId, WorkerId>,
  {
    ships = async () => {},
    records = Promise.resolve(),
  }: { ships?: () => Promise<void>; records?: Promise<void> } = {},
) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const done: string[] = [];
  void giveWay({
    carriedCalls: () => carried,
    endCall(workerId, callId, reason) {
      done.push(`end ${callId} at ${workerId} as ${reason}`);
      return workerId === WORKER;
    },
    stopRecords() {
      done.push("stop records");
      return records;
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

test("a node whose calls were taken makes no record, ships what there is, ends the calls, and ships the rest when the workers have closed the journals", async () => {
  const carried = new Map([
    [ONE, WORKER],
    [OTHER, WORKER],
  ] as const);
  const { done, lines, pass } = givingWay(carried);
  await settled();
  const begun = ["stop records", "ship", ...ENDED];
  expect(done).toEqual(begun);
  carried.delete(ONE);
  await pass(GIVING_WAY_POLL_MS);
  expect(done).toEqual(begun);
  carried.delete(OTHER);
  await pass(GIVING_WAY_POLL_MS);
  expect(done).toEqual([...begun, "ship", "over"]);
  expect(lines).toEqual([expect.stringContaining("calls that other nodes have taken end")]);
});

test("the calls of a lost worker are not waited for", async () => {
  const { done, lines } = givingWay(new Map([[ONE, LOST_WORKER]]));
  await settled();
  expect(done.slice(-2)).toEqual(["ship", "over"]);
  expect(lines).toEqual([]);
});

test("a record that is being made, perhaps of a redacted call whose original is being replaced, is waited for", async () => {
  let made = (): void => {};
  const records = new Promise<void>((resolve) => {
    made = resolve;
  });
  const { done } = givingWay(new Map(), { records });
  await settled();
  expect(done).toEqual(["stop records", "ship", "ship"]);
  made();
  await settled();
  expect(done.at(-1)).toBe("over");
});

test("neither a worker that does not answer nor a bucket that does not holds up a node that gives way for longer than its bounds", async () => {
  const { done, pass } = givingWay(new Map([[ONE, WORKER]]));
  await pass(GIVING_WAY_ENDS_MS_MAX - GIVING_WAY_POLL_MS);
  expect(done.at(-1)).toBe(ENDED[0]);
  await pass(GIVING_WAY_POLL_MS);
  expect(done.slice(-2)).toEqual(["ship", "over"]);
  const other = givingWay(new Map([[ONE, WORKER]]), { ships: () => new Promise(() => {}) });
  await other.pass(GIVING_WAY_MS_MAX);
  expect(other.done).toEqual(["stop records", "ship", ENDED[0], "over"]);
});

test("the rest is shipped before others take the journal, which grew when giving way began, for one without a worker", () => {
  const quietMsMin = SEGMENT_S_MIN * 1_000 + SEGMENT_LATE_MS;
  expect(GIVING_WAY_ENDS_MS_MAX).toBeLessThan(quietMsMin);
});
