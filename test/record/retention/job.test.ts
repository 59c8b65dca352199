import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readRetention } from "../../../src/config/retention.ts";
import { elapsedMs, type MonotonicMs, monotonicMs } from "../../../src/core/clocks.ts";
import type { AccountId, CallId } from "../../../src/core/ids.ts";
import type { RetainedPart } from "../../../src/core/retention.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { RetentionJob, type RetentionProgress } from "../../../src/record/retention/job.ts";
import type { RetentionStore } from "../../../src/store/calls/retention-store.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { createCall, endAt, TURNS } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";
import { allBytes, temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";

const DAY_MS = 86_400_000;
const RECORDING = { channels: 2, sampleRateHz: 8_000, durationMs: 5_000, complete: true };

let directory: string;
let clock: ManualClock;
let stores: Stores;
let log: ReturnType<typeof memoryLog>;
beforeEach(async () => {
  directory = temporaryDirectory();
  clock = new ManualClock();
  log = memoryLog();
  stores = await openSqliteStores(directory, clock, { ageClock: ageClockOf(clock) });
});
afterEach(() => stores.close());

interface EndedCall {
  id: CallId;
  accountId: AccountId;
  recording: string;
  journal: string;
}

/** A call that ends now, with a recording of 3,000 bytes and a journal of 1,000. */
async function ended(accountName = "first", turns = TURNS): Promise<EndedCall> {
  const accountId = await stores.accounts.ensure(accountName);
  const { id, tokenHash } = await createCall(stores, accountId);
  await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  await stores.calls.finish(id, endAt(clock, { turns }));
  await stores.calls.setRecording(id, RECORDING);
  const [recording, journal] = [recordingPath(directory, id), journalPath(directory, id)];
  for (const [path, bytes] of [
    [recording, 3_000],
    [journal, 1_000],
  ] as const) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.alloc(bytes));
  }
  return { id, accountId, recording, journal };
}

function retentionOf(rules: object, store: Omit<RetentionStore, "listKept"> = stores.retention) {
  const deleted: RetainedPart[] = [];
  const failed: RetainedPart[] = [];
  const problems: string[] = [];
  const retention = new RetentionJob({
    rules: readRetention(JSON.stringify(rules), problems),
    accounts: stores.accounts,
    calls: stores.calls,
    store,
    dataDir: directory,
    clock,
    log: log.log,
    onDeleted: (part) => deleted.push(part),
    onFailed: (part) => failed.push(part),
  });
  expect(problems).toEqual([]);
  return { retention, deleted, failed, run: () => clock.drive(retention.run()) };
}

const recordOf = ({ accountId, id }: EndedCall) => stores.calls.get(accountId, id);
const filesOf = ({ recording, journal }: EndedCall) => [existsSync(recording), existsSync(journal)];

test("ADV-M7: each part of a call is deleted when its retention expires, and not before", async () => {
  const call = await ended();
  const { run, deleted } = retentionOf({ recordingDays: 1, transcriptDays: 2, recordDays: 3 });
  clock.advance(DAY_MS);
  await run();
  expect(filesOf(call)).toEqual([true, true]);
  clock.advance(1);
  await run();
  expect(filesOf(call)).toEqual([false, false]);
  expect(await recordOf(call)).not.toHaveProperty("recording");
  expect(await stores.calls.transcript(call.accountId, call.id)).toEqual(TURNS);
  clock.advance(DAY_MS);
  await run();
  expect(await stores.calls.transcript(call.accountId, call.id)).toEqual([]);
  expect(await recordOf(call)).toMatchObject({ status: "ended" });
  clock.advance(DAY_MS);
  await run();
  expect(await recordOf(call)).toBeUndefined();
  expect(deleted).toEqual(["recording", "transcript", "record"]);
});

test("ADV-M7: a transcript that expires first is deleted with the journal, which has its words; the recording stays", async () => {
  const call = await ended();
  clock.advance(DAY_MS + 1);
  await retentionOf({ transcriptDays: 1 }).run();
  expect(filesOf(call)).toEqual([true, false]);
  expect(await recordOf(call)).toMatchObject({ recording: RECORDING });
});

test("ADV-M7: an account's own rules override the common ones", async () => {
  const [acme, forever, other] = [await ended("acme"), await ended("forever"), await ended("other")];
  clock.advance(8 * DAY_MS);
  const accounts = { acme: { recordingDays: 7 }, forever: { recordingDays: null } };
  await retentionOf({ recordingDays: 30, accounts }).run();
  expect([acme, forever, other].map(({ recording }) => existsSync(recording))).toEqual([false, true, true]);
  clock.advance(30 * DAY_MS);
  await retentionOf({ recordingDays: 30, accounts }).run();
  expect([forever, other].map(({ recording }) => existsSync(recording))).toEqual([true, false]);
});

test("ADV-M7: a live call is never touched, however old", async () => {
  const accountId = await stores.accounts.ensure("first");
  const { id, tokenHash } = await createCall(stores, accountId);
  await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  clock.advance(100 * DAY_MS);
  const { run, deleted } = retentionOf({ recordingDays: 1, transcriptDays: 1, recordDays: 1 });
  await run();
  expect(deleted).toEqual([]);
  expect(await stores.calls.get(accountId, id)).toMatchObject({ status: "active" });
});

test("ADV-M7: no byte of the words is left, and the database returns its space", async () => {
  const canary = "canary ".repeat(2_000);
  const turns = TURNS.map((turn) => ({ ...turn, text: canary }));
  for (let count = 0; count < 15; count += 1) await ended("first", turns);
  const database = join(directory, "trunkline.db");
  const before = statSync(database).size + statSync(`${database}-wal`).size;
  expect(allBytes(directory)).toContain("canary");
  clock.advance(DAY_MS + 1);
  await retentionOf({ recordDays: 1 }).run();
  expect(allBytes(directory)).not.toContain("canary");
  expect(statSync(database).size + statSync(`${database}-wal`).size).toBeLessThan(before / 4);
});

test("ADV-M7: a run that dies between files and store is completed by the next", async () => {
  const call = await ended();
  clock.advance(DAY_MS + 1);
  const dead = new Error("the process is gone");
  const dies = { ...broken(), markRecordingDeleted: () => Promise.reject(dead) };
  const first = retentionOf({ recordingDays: 1 }, dies);
  await first.run();
  expect([first.deleted, first.failed, filesOf(call)]).toEqual([[], ["recording"], [false, false]]);
  expect(log.lines.join("\n")).toContain("retention could not delete a call");
  const second = retentionOf({ recordingDays: 1 });
  await second.run();
  expect([second.deleted, second.failed]).toEqual([["recording"], []]);
  expect(await recordOf(call)).not.toHaveProperty("recording");
});

test("ADV-M7: the key of encrypted media is deleted before their files, and not with a transcript whose recording stays", async () => {
  const files: boolean[][] = [];
  const calls = [await ended("acme"), await ended("other")];
  const watched = {
    ...broken(),
    deleteMediaKey: async (id: CallId): Promise<void> => {
      for (const call of calls) if (call.id === id) files.push(filesOf(call));
    },
  };
  clock.advance(DAY_MS + 1);
  const rules = { transcriptDays: 1, accounts: { acme: { recordingDays: 1 } } };
  await retentionOf(rules, watched).run();
  expect(files).toEqual([[true, true]]);
  expect(calls.map(filesOf)).toEqual([
    [false, false],
    [true, false],
  ]);
});

test("ADV-M7: one call that cannot be deleted does not stop the others", async () => {
  const calls = [await ended(), await ended(), await ended()];
  clock.advance(DAY_MS + 1);
  const fails = {
    ...broken(),
    markRecordingDeleted: (id: CallId) =>
      id === calls[1]?.id ? Promise.reject(new Error("no")) : stores.retention.markRecordingDeleted(id),
  };
  const { run, deleted, failed } = retentionOf({ recordingDays: 1 }, fails);
  await run();
  expect([deleted.length, failed.length]).toEqual([2, 1]);
});

test("ADV-M7: a preview lists what a run deletes, counts each file once, and deletes nothing", async () => {
  const calls = [await ended("acme"), await ended("acme"), await ended("other")];
  clock.advance(2 * DAY_MS);
  const rules = { recordingDays: 1, transcriptDays: 1, accounts: { acme: { recordDays: 1 } } };
  const { retention, run } = retentionOf(rules);
  const preview = await clock.drive(retention.preview());
  expect(preview).toEqual([
    { accountName: "acme", part: "record", calls: 2, bytes: 8_000 },
    { accountName: "other", part: "recording", calls: 1, bytes: 4_000 },
    { accountName: "other", part: "transcript", calls: 1, bytes: 0 },
  ]);
  expect(calls.flatMap(filesOf)).not.toContain(false);
  expect(await run()).toEqual(preview);
});

test("a run, and a preview of it, says after each call how far it is", async () => {
  for (let n = 0; n < 3; n++) await ended();
  clock.advance(DAY_MS + 1);
  const { retention } = retentionOf({ recordingDays: 1 });
  for (const work of [retention.preview.bind(retention), retention.run.bind(retention)]) {
    const progress: RetentionProgress[] = [];
    await clock.drive(work({ onProgress: (latest) => void progress.push(latest) }));
    expect(progress.map(({ recordings }) => recordings)).toEqual([1, 2, 3]);
    expect(progress.at(-1)).toEqual({ records: 0, recordings: 3, transcripts: 0, failed: 0 });
  }
});

test("ADV-M7: a run that is aborted ends after its current step, and the next run does the rest", async () => {
  const calls = [await ended(), await ended(), await ended()];
  clock.advance(DAY_MS + 1);
  const abort = new AbortController();
  const { retention, deleted } = retentionOf({ recordingDays: 1 });
  const aborted = retention.run({ signal: abort.signal });
  await vi.waitFor(
    async () => {
      await clock.play(10);
      expect(deleted.length).toBeGreaterThan(0);
    },
    { timeout: 20_000, interval: 5 },
  );
  abort.abort();
  await clock.drive(aborted);
  expect(deleted.length).toBeLessThan(calls.length);
  await clock.drive(retention.run());
  expect(deleted).toHaveLength(calls.length);
});

test("ADV-M1: compaction pauses nine times as long as each step took, and truncates the log once, at the end", async () => {
  await ended();
  clock.advance(DAY_MS + 1);
  const STEP_MS = 5;
  const begunMs: MonotonicMs[] = [];
  let truncated = 0;
  const slow = {
    ...broken(),
    async compact() {
      begunMs.push(clock.nowMs());
      clock.stall(STEP_MS);
      return begunMs.length < 4;
    },
    async purgeChangeLog() {
      truncated += 1;
    },
  };
  await retentionOf({ recordingDays: 1 }, slow).run();
  const betweenMs = begunMs.slice(1).map((ms, index) => elapsedMs(begunMs[index] ?? monotonicMs(Number.NaN), ms));
  expect(betweenMs).toEqual([10 * STEP_MS, 10 * STEP_MS, 10 * STEP_MS]);
  expect(truncated).toBe(1);
});

/** A store whose operations can be replaced one by one. */
const broken = () => ({
  listDue: stores.retention.listDue.bind(stores.retention),
  deleteMediaKey: stores.retention.deleteMediaKey.bind(stores.retention),
  markRecordingDeleted: stores.retention.markRecordingDeleted.bind(stores.retention),
  deleteTranscript: stores.retention.deleteTranscript.bind(stores.retention),
  compact: stores.retention.compact.bind(stores.retention),
  purgeChangeLog: stores.retention.purgeChangeLog.bind(stores.retention),
});

test("an account's own days count where they are fewer than the service's, and its record goes with all of its parts", async () => {
  const { run } = retentionOf({ recordingDays: 30, recordDays: 60 });
  const strict = await ended("strict");
  const lax = await ended("lax");
  await stores.accounts.update(strict.accountId, { retention: { recording: 7, record: 20 } });
  await stores.accounts.update(lax.accountId, { retention: { recording: 90 } });
  const left = async ({ id, accountId, recording }: EndedCall) => [
    existsSync(recording),
    (await stores.calls.get(accountId, id)) !== undefined,
  ];
  clock.advance(8 * DAY_MS);
  await run();
  expect([await left(strict), await left(lax)]).toEqual([
    [false, true],
    [true, true],
  ]);
  clock.advance(13 * DAY_MS);
  await run();
  expect([await left(strict), await left(lax)]).toEqual([
    [false, false],
    [true, true],
  ]);
  clock.advance(10 * DAY_MS);
  await run();
  expect(await left(lax)).toEqual([false, true]);
});
