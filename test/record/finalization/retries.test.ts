import { expect, onTestFinished, test } from "vitest";
import { epochMs } from "../../../src/core/clocks.ts";
import { TrunklineError, unavailable } from "../../../src/core/errors.ts";
import { asAccountId, asCallId, asWorkerId, type WorkerId } from "../../../src/core/ids.ts";
import { PROJECTIONS_CACHED_MAX, RECORD_RETRY_MS } from "../../../src/core/limits/storage/storage.ts";
import { CallFinalizer } from "../../../src/record/finalization/finalizer.ts";
import type { JournaledCall, JournalProcessor } from "../../../src/record/finalization/journal-processor.ts";
import type { RedeemedCall } from "../../../src/store/call-handoff.ts";
import type { CallEnd, CallStore } from "../../../src/store/calls/call-store.ts";
import { hashSecret } from "../../../src/store/secrets.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { SPEC } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, mintToken, redeemedBy } from "../../support/tokens.ts";

const JOURNALED: JournaledCall = {
  header: { accountId: asAccountId("account_1"), startedAt: "2026-01-01T00:00:00.000Z" },
  turns: [],
  endReason: "caller_hangup",
  carrierCallId: undefined,
  parameters: undefined,
  usageEvents: [],
  toolRuns: [],
  recordingPauses: [],
  network: undefined,
  transcription: undefined,
  spans: [],
  durationMs: 1,
  frames: { in: 1, out: 1, missingAudio: 0 },
  hasEnd: true,
  complete: true,
};
const NO_JOURNAL = new TrunklineError("journal_unreadable", "service", "the journal cannot be read: it is not there");

/** A finalizer whose calls are all active, and its requests to the store and for journals. */
function scene(journals: Partial<Pick<JournalProcessor, "project">>, finish: () => boolean = () => true) {
  const clock = new ManualClock();
  const made: string[] = [];
  const ends: CallEnd[] = [];
  const kept: string[] = [];
  const calls = {
    get: async () => ({ status: "active" }),
    isRedacted: async () => false,
    finish: async (_callId: string, end: CallEnd) => {
      made.push("finish");
      ends.push(end);
      return finish();
    },
  } as unknown as Pick<CallStore, "get" | "finish" | "isRedacted">;
  const finalizer = new CallFinalizer({
    calls,
    dataDir: temporaryDirectory(),
    journals: {
      project: async (callId) => {
        made.push("project");
        return (await journals.project?.(callId)) ?? JOURNALED;
      },
    },
    clock,
    log: memoryLog().log,
    onFinalized: (callId) => void kept.push(callId),
  });
  return { clock, finalizer, made, ends, kept };
}

test("ADV-L7: while the store accepts no record, nothing is read again", async () => {
  let isLost = true;
  const { clock, finalizer, made, kept } = scene({}, () => {
    if (isLost) throw unavailable("the database file was removed or replaced");
    return true;
  });
  finalizer.finalize(asCallId("call_1"));
  await clock.play(10 * RECORD_RETRY_MS);
  expect(made.filter((what) => what !== "finish")).toEqual(["project"]);
  isLost = false;
  await clock.play(RECORD_RETRY_MS);
  expect(kept).toEqual(["call_1"]);
});

test("ADV-L7: some records that wait for the store keep their projections", async () => {
  const { clock, finalizer, made } = scene({}, () => {
    throw unavailable("the database file was removed or replaced");
  });
  for (let call = 0; call < PROJECTIONS_CACHED_MAX + 5; call += 1) finalizer.finalize(asCallId(`call_${call}`));
  await finalizer.idle();
  made.length = 0;
  await clock.play(RECORD_RETRY_MS);
  await finalizer.idle();
  expect(made.filter((what) => what === "project")).toHaveLength(5);
});

test("ADV-M9: a record that the renderer of a stopping service did not make is made at the next start", async () => {
  const { finalizer, ends, kept } = scene({
    project: async () => {
      throw unavailable("the renderer ends");
    },
  });
  finalizer.finalize(asCallId("call_1"));
  await finalizer.idle();
  expect([ends, kept]).toEqual([[], []]);
});

/** A call that worker A redeemed, whose recovery waits for a busy renderer until `answer` is called. */
async function lostRedemption() {
  const [dataDir, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(dataDir, clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("first");
  const tokenHash = hashSecret(mintToken());
  await stores.calls.create({ accountId, spec: SPEC, tokenHash, tokenTtlMs: 60_000 });
  const redeem = (worker: WorkerId, nonce: string) =>
    stores.redemptions.redeem(tokenHash, redeemedBy(worker, { nonce }));
  const { callId } = (await redeem(asWorkerId("A"), "n1")) as RedeemedCall;
  let answer = (): void => {};
  const asked = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const kept: string[] = [];
  const project = async (): Promise<never> => {
    await asked;
    throw NO_JOURNAL;
  };
  const finalizer = new CallFinalizer({
    calls: stores.calls,
    dataDir,
    journals: { project },
    clock,
    log: memoryLog().log,
    onFinalized: (id) => void kept.push(id),
  });
  const [lost] = await stores.calls.listActive(asWorkerId("A"));
  if (lost === undefined) throw new Error("not active");
  const status = async () => (await stores.calls.get(accountId, callId))?.status;
  const giveBack = () => stores.redemptions.returnRedemption(tokenHash, "n1");
  return { finalizer, lost, answer, kept, callId, status, giveBack, redeem };
}

test("ADV-M2: a call that was returned and redeemed again is not recorded as lost with its first redemption", async () => {
  const { finalizer, lost, answer, kept, callId, status, giveBack, redeem } = await lostRedemption();
  finalizer.finalizeLost(lost);
  expect(await giveBack()).toBeDefined();
  expect(await redeem(asWorkerId("B"), "n2")).toBeDefined();
  answer();
  await finalizer.idle();
  expect([await status(), kept]).toEqual(["active", []]);
  // The second worker's report counts, also while the recovery of the first redemption is in progress.
  finalizer.finalizeLost(lost);
  finalizer.finalize(callId, {
    reason: "caller_hangup",
    endedAtMs: epochMs(1),
    durationMs: 1,
    framesIn: 1,
    framesOut: 1,
  });
  await finalizer.idle();
  expect([await status(), kept]).toEqual(["ended", [callId]]);
});

test("ADV-M2: a call with an unchanged redemption is recorded as lost", async () => {
  const { finalizer, lost, answer, kept, callId, status } = await lostRedemption();
  finalizer.finalizeLost(lost);
  answer();
  await finalizer.idle();
  expect([await status(), kept]).toEqual(["failed", [callId]]);
});

test("ADV-M2: a call whose worker reconnected with it while its recovery waited stays active", async () => {
  const { finalizer, lost, answer, kept, status } = await lostRedemption();
  let isLost = true;
  finalizer.finalizeLost(lost, () => isLost);
  isLost = false;
  answer();
  await finalizer.idle();
  expect([await status(), kept]).toEqual(["active", []]);
});
