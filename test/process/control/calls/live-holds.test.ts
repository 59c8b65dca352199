import { expect, test } from "vitest";
import { epochMs } from "../../../../src/core/clocks.ts";
import { asCallId, asWorkerId } from "../../../../src/core/ids.ts";
import { LiveHolds } from "../../../../src/process/control/calls/live-holds.ts";

const [CALL, OTHER] = [asCallId("call_1"), asCallId("call_2")];
const [WORKER, SECOND] = [asWorkerId("worker_1"), asWorkerId("worker_2")];

function held(): LiveHolds {
  const holds = new LiveHolds();
  holds.reported(WORKER, { callId: CALL, sinceMs: epochMs(1_000) });
  holds.reported(SECOND, { callId: OTHER, sinceMs: epochMs(2_000) });
  return holds;
}

test("a caller is on hold from the worker's report until its next one", () => {
  const holds = held();
  expect([holds.sinceMs(CALL), holds.sinceMs(OTHER)]).toEqual([1_000, 2_000]);
  holds.reported(WORKER, { callId: CALL });
  expect([holds.sinceMs(CALL), holds.sinceMs(OTHER)]).toEqual([undefined, 2_000]);
});

test("a hold is over with its call", () => {
  const holds = held();
  holds.ended(OTHER);
  expect([holds.sinceMs(CALL), holds.sinceMs(OTHER)]).toEqual([1_000, undefined]);
});

test("nothing is known of the calls of a worker that is not connected, until it reports them again", () => {
  const holds = held();
  holds.workerDisconnected(WORKER);
  expect([holds.sinceMs(CALL), holds.sinceMs(OTHER)]).toEqual([undefined, 2_000]);
  holds.reported(WORKER, { callId: CALL, sinceMs: epochMs(1_000) });
  expect(holds.sinceMs(CALL)).toBe(1_000);
});
