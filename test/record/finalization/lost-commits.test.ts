import { expect, test } from "vitest";
import { mediaKeyText, newMediaKey } from "../../../src/core/encryption/chunks.ts";
import { asAccountId, asCallId, asWorkerId, type CallId } from "../../../src/core/ids.ts";
import { COMMITS_COMPARED_MS } from "../../../src/core/limits/storage/storage.ts";
import { LostCommits } from "../../../src/record/finalization/lost-commits.ts";
import type { JournalHeader } from "../../../src/record/journal/records.ts";
import type { EndSummary } from "../../../src/store/call-handoff.ts";
import type { ActiveCall, RestoredCall } from "../../../src/store/calls/call-store.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock, settled } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

const WORKER = asWorkerId("worker-1");
const ACCOUNT = asAccountId("account_1");
const [A, B, C] = [asCallId("call_a"), asCallId("call_b"), asCallId("call_c")];
const END: EndSummary = {
  reason: "caller_hangup",
  endedAtMs: new ManualClock().epochMs(),
  durationMs: 1_000,
  framesIn: 50,
  framesOut: 0,
};
const HEADER = { accountId: ACCOUNT, startedAt: "2026-01-01T00:00:00.000Z", spec: SPEC } as unknown as JournalHeader;

/** A database whose active calls a test says, and what is done because of it, in order. */
function scene() {
  const clock = new ManualClock();
  const active = new Set<CallId>();
  /** Calls that cannot be restored: they are another's, or have ended. */
  const others = new Set<CallId>();
  const state = { isConnected: true, isLost: false, failures: 0 };
  const done: unknown[][] = [];
  const { log, lines } = memoryLog();
  const activeCall = (id: CallId): ActiveCall => ({
    ...{ id, accountId: ACCOUNT, workerId: WORKER, workerConnection: 1, epoch: 4, recordingEnabled: true },
  });
  const commits = new LostCommits({
    calls: {
      async listActive() {
        state.failures -= 1;
        if (state.failures >= 0) throw new Error("the store is away");
        return [...active].map(activeCall);
      },
      async restore({ id, redemption }: RestoredCall) {
        done.push(["restore", id, redemption]);
        if (!others.has(id)) active.add(id);
      },
    },
    mediaKeys: { restore: async (_, key) => void done.push(["key", key.callId]) },
    finalizer: {
      finalize: (callId, end) => void done.push(["finalize", callId, end?.reason]),
      finalizeLost: ({ id }, isLost = () => true) => void done.push(["lost", id, isLost()]),
      withFiles: (_, work) => work(),
    },
    workers: { connectionOf: () => (state.isConnected ? 2 : undefined), caughtUp: settled },
    headerOf: async (callId) => (callId === C ? undefined : HEADER),
    endCall: (workerId, callId) => void done.push(["end", workerId, callId]),
    isDatabaseLost: () => state.isLost,
    epoch: 4,
    clock,
    log,
  });
  return { clock, active, others, state, done, lines, commits };
}

const REDEMPTION = { workerId: WORKER, workerConnection: 2, epoch: 4 };

test("K14: a live call whose redemption the new server lacks is its worker's again, with its key", async () => {
  const { clock, active, done, commits } = scene();
  commits.begun(A, WORKER, mediaKeyText(newMediaKey(A)));
  commits.begun(B, WORKER);
  active.add(B);
  await commits.compare(clock.nowMs());
  expect(done).toEqual([
    ["restore", A, REDEMPTION],
    ["key", A],
  ]);
});

test("K14: a call whose end the new server lacks ends again by its worker's report, also where it lacks the redemption", async () => {
  const { clock, active, done, commits } = scene();
  commits.begun(A, WORKER);
  for (const id of [A, B]) commits.ended(id, END);
  for (const id of [A, B]) commits.recorded(id);
  active.add(B);
  await commits.compare(clock.nowMs());
  expect(done).toEqual([
    ["restore", A, REDEMPTION],
    ["finalize", A, "caller_hangup"],
    ["finalize", B, "caller_hangup"],
  ]);
});

test("K14: a live call that another stream has begun since ends here, and so does one that cannot be restored", async () => {
  const { clock, others, done, commits } = scene();
  commits.begun(A, WORKER);
  commits.begun(C, WORKER);
  others.add(A);
  await commits.compare(clock.nowMs());
  expect(done).toEqual([
    ["restore", A, REDEMPTION],
    ["end", WORKER, A],
    ["end", WORKER, C],
  ]);
});

test("K14: a call that has its end on the new server, and one whose redemption was returned, are left as they are", async () => {
  const { clock, others, done, lines, commits } = scene();
  commits.begun(A, WORKER);
  commits.ended(A, END);
  others.add(A);
  commits.begun(B, WORKER);
  commits.returned(B);
  await commits.compare(clock.nowMs());
  expect(done).toEqual([["restore", A, REDEMPTION]]);
  expect(lines.join()).toContain("it lacks no call of this node");
});

test("K14: a restored call whose worker is gone is recorded as lost", async () => {
  const { clock, state, done, commits } = scene();
  commits.begun(A, WORKER);
  state.isConnected = false;
  await commits.compare(clock.nowMs());
  expect(done).toEqual([
    ["restore", A, { ...REDEMPTION, workerConnection: 0 }],
    ["lost", A, true],
  ]);
});

test("K14: a comparison that the server does not answer is repeated until it does", async () => {
  const { clock, state, done, commits } = scene();
  commits.begun(A, WORKER);
  state.failures = 3;
  const compared = commits.compare(clock.nowMs());
  for (let second = 0; second < 10; second += 1) {
    await settled();
    await clock.play(1_000);
  }
  await compared;
  expect(done).toEqual([["restore", A, REDEMPTION]]);
});

test("K14: only what was committed shortly before the earlier server's last answer is compared, however long none answered", async () => {
  const { clock, state, done, commits } = scene();
  commits.begun(A, WORKER);
  await clock.play(COMMITS_COMPARED_MS + 1);
  commits.begun(B, WORKER);
  const answeredMs = clock.nowMs();
  state.isLost = true;
  await clock.play(10 * COMMITS_COMPARED_MS);
  commits.ended(B, END);
  await commits.compare(answeredMs);
  expect(done).toEqual([
    ["restore", B, REDEMPTION],
    ["finalize", B, "caller_hangup"],
  ]);
});
