import { expect, onTestFinished, test } from "vitest";
import type { JobId } from "../../../src/core/ids.ts";
import { TRANSCRIPTION_JOB } from "../../../src/store/job-kinds.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import { createCall, endAt, SPEC, TTL_MS } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { createCarrier, INBOUND, queuedCall, stepAt } from "../../support/telephony/stored.ts";
import { allBytes, temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";
import { FAILURE, newTranscription, OUTCOME, PART } from "../../support/transcriptions/stored.ts";

const CANARY = "canary-4711";
/** The value is in the prompt, and among those that must not be persisted. */
const REDACTED_CALL = { ...SPEC, systemPrompt: `Call ${CANARY}.`, redactedValues: [CANARY] };
const TRANSCRIBED = { ...OUTCOME, words: [{ text: CANARY, startMs: 100, endMs: 300 }] };

async function scene() {
  const [directory, clock] = [temporaryDirectory(), new ManualClock()];
  const stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
  onTestFinished(() => stores.close());
  const accountId = await stores.accounts.ensure("first");
  const isOnDisk = (): boolean => allBytes(directory).includes(CANARY);
  return { stores, clock, accountId, isOnDisk };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** A redacted transcription, one part of which was transcribed. */
async function transcribing({ stores, accountId }: Scene) {
  const { options } = newTranscription(accountId);
  const { id } = await stores.transcriptions.create(
    newTranscription(accountId, { options: { ...options, redact: ["phone_number"] } }),
  );
  const job = (await stores.transcriptions.jobOf(id)) as JobId;
  await stores.jobs.claim({ runnerId: "r", kinds: [TRANSCRIPTION_JOB], fullLanes: [], limit: 1 });
  await stores.transcriptions.start(id);
  await stores.transcriptions.requesting(id, PART, "deepgram");
  await stores.transcriptions.transcribed(id, PART, TRANSCRIBED);
  return { id, job };
}

/** Stores what has the words, and resolves with what ends it. */
const ENDS: Readonly<Record<string, (scene: Scene) => Promise<() => unknown>>> = {
  "a call that has ended": async ({ stores, clock, accountId }) => {
    const { id, tokenHash } = await createCall(stores, accountId, REDACTED_CALL);
    await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
    return () => stores.calls.finish(id, endAt(clock, { turns: [] }));
  },
  "a call that was cancelled": async ({ stores, accountId }) => {
    const { id } = await createCall(stores, accountId, REDACTED_CALL);
    return () => stores.calls.cancel(accountId, id);
  },
  "a call that has expired": async ({ stores, clock, accountId }) => {
    await createCall(stores, accountId, REDACTED_CALL);
    return () => clock.advance(TTL_MS);
  },
  "a telephone call that ended before it had a stream": async ({ stores, clock, accountId }) => {
    const { id: carrierId } = await createCarrier(stores, accountId);
    const inbound = { facts: INBOUND, status: "ringing", carrierCallId: "CA1", spec: REDACTED_CALL } as const;
    const made = await stores.phoneCalls.create(queuedCall(accountId, carrierId, clock.epochMs(), inbound));
    if (made.kind !== "created") throw new Error(made.kind);
    const end = { status: "ended", endReason: "no_answer" } as const;
    return () => stores.phoneCalls.step(made.call.id, 1, stepAt(clock.epochMs(), { end, isOver: true }));
  },
  "a transcription that has failed": async (of) => {
    const { id } = await transcribing(of);
    return () => of.stores.transcriptions.end(id, { status: "failed", failure: FAILURE });
  },
  "a transcription that was cancelled": async (of) => {
    const { id } = await transcribing(of);
    return () => of.stores.transcriptions.cancel(of.accountId, id);
  },
  "a transcription whose job has failed for good": async (of) => {
    const { job } = await transcribing(of);
    return () => of.stores.jobs.settle("r", new Map([[job, { kind: "dead", error: "no way" }]]));
  },
};

test.each(Object.entries(ENDS))("the redacted words of %s are in no file after the next `expire`", async (_, store) => {
  const of = await scene();
  const end = await store(of);
  expect(of.isOnDisk()).toBe(true);
  // It purges what was pending from the start: what it purges below is of this end.
  await of.stores.calls.expire();
  expect(of.isOnDisk()).toBe(true);
  await end();
  await of.stores.calls.expire();
  expect(of.isOnDisk()).toBe(false);
});
