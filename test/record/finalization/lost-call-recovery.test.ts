import { expect, test } from "vitest";
import { asAccountId, asCallId, asWorkerId } from "../../../src/core/ids.ts";
import {
  LostCallRecovery,
  WORKER_RECONNECT_MS,
  WORKER_REGISTRATION_MS,
} from "../../../src/record/finalization/lost-call-recovery.ts";
import type { ActiveCall } from "../../../src/store/calls/call-store.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const CALL: ActiveCall = {
  id: asCallId("call_1"),
  accountId: asAccountId("account_1"),
  workerId: asWorkerId("worker-1"),
  workerConnection: 1,
  epoch: 4,
  recordingEnabled: true,
};

/** One active call, and workers that the control process learns of when `tell` is called. */
function scene(epoch = 4, earlierWorkersAreGone = false) {
  const clock = new ManualClock();
  const there = new Set<string>();
  const undelivered: (() => void)[] = [];
  const kept: { id: string; isLost: () => boolean }[] = [];
  const lost: string[] = [];
  const ended: string[] = [];
  let failures = 0;
  const calls = new LostCallRecovery({
    calls: {
      listActive: async () => {
        failures -= 1;
        if (failures >= 0) throw new Error("the store is away");
        return [CALL];
      },
    },
    finalizer: { finalizeLost: ({ id }, isLost = () => true) => void kept.push({ id, isLost }) },
    workers: {
      has: (workerId) => there.has(workerId),
      // As with the thread's messages, all earlier events are delivered before the answer.
      caughtUp: async () => {
        await settled();
        for (const deliver of undelivered.splice(0)) deliver();
      },
    },
    epoch,
    earlierWorkersAreGone,
    endCall: (workerId, callId) => ended.push(`${workerId} ${callId}`),
    onWorkerLost: (workerId) => lost.push(workerId),
    clock,
    log: memoryLog().log,
  });
  const comesBack = (callIds = [CALL.id]): void => {
    undelivered.push(() => {
      there.add("worker-1");
      calls.workerConnected(asWorkerId("worker-1"), 2, callIds);
    });
  };
  const storeFails = (times: number): void => {
    failures = times;
  };
  return { clock, calls, there, kept, lost, ended, comesBack, storeFails };
}

test("ADV-M2: the calls of a worker that reconnected while the control process's loop was blocked stay active", async () => {
  const { clock, calls, kept, lost, comesBack } = scene();
  calls.workerDisconnected(asWorkerId("worker-1"), 1);
  comesBack();
  await clock.play(10 * WORKER_RECONNECT_MS);
  await settled();
  expect([kept, lost]).toEqual([[], []]);
});

test("ADV-M2: the calls of a worker that did not reconnect are recorded as lost, unless it reconnects before that", async () => {
  const { clock, calls, there, kept, lost, storeFails } = scene();
  storeFails(2);
  calls.workerDisconnected(asWorkerId("worker-1"), 1);
  await clock.play(WORKER_RECONNECT_MS - 1);
  expect(lost).toEqual([]);
  await clock.play(5_000);
  expect(lost).toEqual(["worker-1"]);
  expect(kept.map(({ id, isLost }) => [id, isLost()])).toEqual([["call_1", true]]);
  there.add("worker-1");
  expect(kept[0]?.isLost()).toBe(false);
});

test("ADV-M2: a worker that reconnects without a call has lost it", async () => {
  const { clock, calls, kept, comesBack } = scene();
  calls.workerDisconnected(asWorkerId("worker-1"), 1);
  comesBack([]);
  await clock.play(WORKER_RECONNECT_MS);
  await settled();
  expect(kept.map(({ id, isLost }) => [id, isLost()])).toEqual([["call_1", true]]);
});

test("ADV-M2: after a start the calls of workers that did not connect are lost; of those that connected while the loop was blocked they are not", async () => {
  for (const comes of [false, true]) {
    const { clock, calls, kept, comesBack } = scene(5);
    calls.start();
    if (comes) comesBack();
    await clock.play(WORKER_REGISTRATION_MS);
    await settled();
    expect(kept).toHaveLength(comes ? 0 : 1);
  }
});

test("after a start that finds no earlier worker alive their calls are lost at once", async () => {
  const { clock, calls, kept } = scene(5, true);
  calls.start();
  await clock.play(0);
  await settled();
  expect(kept).toHaveLength(1);
});

test("ADV-M2: at the service's end every call is lost whose worker is gone", async () => {
  const { calls, kept, comesBack } = scene();
  comesBack();
  await calls.recoverAll();
  expect(kept).toEqual([]);
  const gone = scene();
  await gone.calls.recoverAll();
  expect(gone.kept).toHaveLength(1);
});

test("calls of a node that is gone are lost, also one that comes back to the node whose worker carried it: the worker ends it first", async () => {
  const taken = new Set([CALL.id]);
  const foreign = scene();
  await foreign.calls.recoverTaken(taken);
  expect([foreign.kept.length, foreign.ended]).toEqual([1, []]);
  for (const failures of [0, 1]) {
    const { clock, calls, kept, ended, comesBack, storeFails } = scene();
    comesBack();
    storeFails(failures);
    await calls.recoverTaken(taken);
    await clock.play(5 * WORKER_RECONNECT_MS);
    expect([kept, ended.length > 0]).toEqual([[], true]);
    await clock.play(2_000);
    expect([kept.map(({ id }) => id), new Set(ended)]).toEqual([["call_1"], new Set(["worker-1 call_1"])]);
  }
});

test("when a node takes calls of another, those that its own workers carry stay active", async () => {
  const { clock, calls, kept, ended, comesBack } = scene();
  comesBack();
  await calls.recoverTaken(new Set([asCallId("call_2")]));
  await clock.play(10 * WORKER_RECONNECT_MS);
  expect([kept, ended]).toEqual([[], []]);
});
