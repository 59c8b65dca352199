import { expect, test } from "vitest";
import { asAccountId, asCallId, asCarrierCallId, asWorkerId } from "../../../../src/core/ids.ts";
import { handoffEvents } from "../../../../src/process/control/calls/handoff-events.ts";
import type { WorkerLoad } from "../../../../src/store/handoff/messages.ts";
import { settled } from "../../../support/manual-clock.ts";
import { memoryLog } from "../../../support/memory-log.ts";

const load = (acceptsCalls: boolean): WorkerLoad => ({ callCount: 0, callsMax: 10, loopLagMs: 0, acceptsCalls });

/** The handlers, and all calls that they make, in order. */
function handlers({ isCallStored = true } = {}) {
  const made: unknown[][] = [];
  const { log, lines } = memoryLog();
  const record =
    (name: string) =>
    (...args: unknown[]): void =>
      void made.push([name, ...args]);
  const events = handoffEvents({
    phoneCalls: undefined,
    activity: { reported: record("activity") },
    holds: {
      reported: record("hold"),
      ended: record("no hold"),
      workerDisconnected: record("no holds"),
    },
    capacity: {
      assign: record("assign slot"),
      returned: record("return slot"),
      workerConnected: record("worker's slots"),
      loadReported: record("load"),
      workerDisconnected: record("no slots"),
      release: record("release slot"),
    },
    lostCommits: { begun: record("note begun"), returned: record("note returned"), ended: record("note ended") },
    lostCalls: {
      workerConnected: record("compare calls"),
      ignoreWorker: record("ignore worker"),
      workerDisconnected: record("recover calls"),
    },
    accountTotals: {
      reported: record("spend"),
      allOverLimit: () => [{ accountId: asAccountId("account_1"), limit: "output_tokens" }],
      workerDisconnected: record("keep spend"),
    },
    handoff: { sendAccountsOverLimit: record("accounts over limit") },
    endRequests: { redemptionReturned: async (callId) => void made.push(["end request", callId]) },
    finalizer: { finalize: record("finalize") },
    calls: {
      async setCarrierCallId(callId, carrierCallId) {
        made.push(["carrier call id", callId, carrierCallId]);
        if (!isCallStored) throw new Error("database is locked");
      },
    },
    onWorkerAccepting: record("worker accepts"),
    log,
  });
  return { events, made, lines };
}

test("A redemption takes a slot of its worker; a returned call waits again and may be ended", () => {
  const { events, made } = handlers();
  events.onRedeemed(asCallId("call_1"), asWorkerId("worker_1"));
  events.onReturned({ callId: asCallId("call_1"), remainingMs: 500 });
  expect(made).toEqual([
    ["assign slot", "call_1", "worker_1"],
    ["note begun", "call_1", "worker_1", undefined],
    ["note returned", "call_1"],
    ["return slot", "call_1", 500],
    ["end request", "call_1"],
  ]);
});

test("Slots are counted before the search for lost calls, and a worker that accepts calls is reported last", () => {
  const { events, made } = handlers();
  events.onWorkerConnected(asWorkerId("worker_1"), 7, [asCallId("call_1")], load(true));
  expect(made).toEqual([
    ["worker's slots", "worker_1", ["call_1"], load(true)],
    ["compare calls", "worker_1", 7, ["call_1"]],
    ["worker accepts"],
  ]);
});

test("A worker that does not accept calls yet is reported when its load shows that it does", () => {
  const { events, made } = handlers();
  events.onWorkerConnected(asWorkerId("worker_1"), 7, [], load(false));
  events.onLoadReported(asWorkerId("worker_1"), load(false));
  expect(made).not.toContainEqual(["worker accepts"]);
  events.onLoadReported(asWorkerId("worker_1"), load(true));
  expect(made.at(-1)).toEqual(["worker accepts"]);
});

test("Reported spend is added up, and all workers learn which accounts are over their limits", () => {
  const { events, made } = handlers();
  events.onSpendReported(asWorkerId("worker_1"), [], true);
  expect(made).toEqual([
    ["spend", "worker_1", [], true],
    ["accounts over limit", [{ accountId: "account_1", limit: "output_tokens" }]],
  ]);
});

test("A worker that disconnects loses its slots, and its calls are recovered; one of another version is ignored", () => {
  const { events, made } = handlers();
  events.onWorkerDisconnected(asWorkerId("worker_1"), 7);
  events.onIncompatibleWorker(asWorkerId("worker_2"));
  expect(made).toEqual([
    ["no slots", "worker_1"],
    ["keep spend", "worker_1"],
    ["no holds", "worker_1"],
    ["recover calls", "worker_1", 7],
    ["ignore worker", "worker_2"],
  ]);
});

test("A call that ends frees its slot before its record is made", () => {
  const { events, made } = handlers();
  events.onEnded(asCallId("call_1"));
  expect(made).toEqual([
    ["no hold", "call_1"],
    ["release slot", "call_1"],
    ["note ended", "call_1", undefined],
    ["finalize", "call_1", undefined],
  ]);
});

test("A carrier's call id that cannot be stored is logged and fails nothing", async () => {
  const { events, made, lines } = handlers({ isCallStored: false });
  events.onStreamStarted(asCallId("call_1"), asCarrierCallId("CA1"));
  await settled();
  expect(made).toEqual([["carrier call id", "call_1", "CA1"]]);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { callId: "call_1", msg: "carrier call id could not be stored yet" },
  ]);
});
