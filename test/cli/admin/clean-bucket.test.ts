import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cleanBucket } from "../../../src/cli/admin/clean-bucket.ts";
import { prune } from "../../../src/cli/admin/prune.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { elapsedMs, epochMs } from "../../../src/core/clocks.ts";
import { asCallId, type CallId } from "../../../src/core/ids.ts";
import { ORPHAN_AGE_MS } from "../../../src/core/limits/storage/bucket.ts";
import { newId } from "../../../src/core/new-id.ts";
import { recordingKey, segmentKey, waveformKey } from "../../../src/record/bucket/keys.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { OwnBucket } from "../../../src/store/bucket/own-bucket.ts";
import type { S3Bucket } from "../../../src/store/bucket/s3.ts";
import { BUCKET_DELETION_JOB } from "../../../src/store/job-kinds.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { recordedOutput } from "../../support/admin-output.ts";
import { S3_CREDENTIALS, type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { createCall, endAt } from "../../support/calls/stored-calls.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf, redeemedBy } from "../../support/tokens.ts";

const BYTES = Buffer.from("12345");

let server: S3Server;
let bucket: S3Bucket;
let dataDir: string;
let clock: ManualClock;
let output = recordedOutput();

beforeEach(async () => {
  server = await startS3Server();
  bucket = server.bucket();
  dataDir = temporaryDirectory();
  clock = new ManualClock(epochMs(Date.UTC(2020, 0, 1)));
  output = recordedOutput();
  vi.stubEnv("BUCKET_URL", server.url);
  vi.stubEnv("BUCKET_ACCESS_KEY_ID", S3_CREDENTIALS.accessKeyId);
  vi.stubEnv("BUCKET_SECRET_ACCESS_KEY", S3_CREDENTIALS.secretAccessKey);
  await withStores(({ bucketClaims }) => new OwnBucket(bucket, bucketClaims).check());
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openSqliteStores(dataDir, clock, { ageClock: ageClockOf(clock) });
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** Everything that the bucket has of a call. */
const keysOf = (callId: CallId): string[] => [
  segmentKey(callId, "live", 0),
  segmentKey(callId, "live", 5),
  recordingKey(callId),
  waveformKey(callId),
];

async function put(keys: readonly string[]): Promise<void> {
  for (const key of keys) await bucket.put(key, BYTES);
}

async function keys(): Promise<string[]> {
  const found: string[] = [];
  for (const prefix of ["journals/", "recordings/", "transcriptions/", "documents/"])
    for await (const { key } of bucket.list(prefix)) found.push(key);
  return found.sort();
}

/** A call that ended long ago, with all its files in the bucket. */
async function endedCall(stores: Stores): Promise<CallId> {
  const accountId = await stores.accounts.ensure("acme");
  const { id, tokenHash } = await createCall(stores, accountId);
  await stores.redemptions.redeem(tokenHash, redeemedBy("worker-1"));
  await stores.calls.finish(id, endAt(clock));
  await put(keysOf(id));
  return id;
}

const uuidAt = (atMs: number): string => {
  const hex = atMs.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};
const OLD = uuidAt(Date.UTC(2020, 0, 1));

test("clean-bucket deletes what belongs to no call and no file, what the database has deleted, and nothing else", async () => {
  const [whole, silent] = await withStores(async (stores) => {
    const calls = [await endedCall(stores), await endedCall(stores)] as const;
    await stores.retention.markRecordingDeleted(calls[1]);
    return calls;
  });
  const [unknown, young] = [asCallId(`call_${OLD}`), newId("call")];
  await put([...keysOf(unknown), ...keysOf(young)]);
  const nearlyOld = uuidAt(Date.now() + 60_000 - ORPHAN_AGE_MS);
  await put([`transcriptions/transcription_${OLD}`, `transcriptions/transcription_${nearlyOld}`]);
  await put([`documents/doc_${OLD}.1`, "journals/of-another-program"]);

  const before = await keys();
  await cleanBucket({ dataDir, databaseUrl: undefined }, true, output);
  expect(output.said).toEqual([
    "journals: 2 objects of what the database does not know, 10 bytes, would be deleted",
    "journals: 2 objects of what the database has deleted, 10 bytes, would be deleted",
    "recordings: 2 objects of what the database does not know, 10 bytes, would be deleted",
    "recordings: 2 objects of what the database has deleted, 10 bytes, would be deleted",
    "transcriptions: 1 objects of what the database does not know, 5 bytes, would be deleted",
    "documents: 1 objects of what the database does not know, 5 bytes, would be deleted",
    "20 objects compared with the database",
  ]);
  expect(await keys()).toEqual(before);

  await cleanBucket({ dataDir, databaseUrl: undefined }, false, output);
  const others = [`transcriptions/transcription_${nearlyOld}`, "journals/of-another-program"];
  expect(await keys()).toEqual([...keysOf(whole), ...keysOf(young), ...others].sort());
  expect(silent).not.toBe(whole);
});

test("clean-bucket refuses a bucket of another database, and a service without a bucket", async () => {
  const other = temporaryDirectory();
  await (await openSqliteStores(other, clock, { ageClock: ageClockOf(clock) })).close();
  const place = { dataDir: other, databaseUrl: undefined };
  await expect(cleanBucket(place, false, output)).rejects.toMatchObject({ code: "wrong_bucket" });
  for (const name of ["BUCKET_URL", "BUCKET_ACCESS_KEY_ID", "BUCKET_SECRET_ACCESS_KEY"]) vi.stubEnv(name, "");
  await expect(cleanBucket(place, false, output)).rejects.toThrow("there is no bucket to clean");
});

test("prune deletes in the bucket what retention deletes, now and once more when nothing can be on its way", async () => {
  const [id, kept] = await withStores(async (stores) => {
    const due = await endedCall(stores);
    clock.advance(elapsedMs(clock.epochMs(), systemClock.epochMs()));
    return [due, await endedCall(stores)];
  });
  mkdirSync(dirname(recordingPath(dataDir, id)), { recursive: true });
  writeFileSync(recordingPath(dataDir, id), Buffer.alloc(3_000));
  vi.stubEnv("RETENTION", '{"recordingDays": 30}');
  const place = { dataDir, databaseUrl: undefined };
  await prune(place, true, output);
  expect(output.said).toEqual([
    'account "acme": 1 recording, 3000 bytes of files of this disk and what the bucket has, would be deleted',
  ]);
  expect(await keys()).toEqual([...keysOf(id), ...keysOf(kept)].sort());

  await prune(place, false, output);
  expect(existsSync(recordingPath(dataDir, id))).toBe(false);
  expect(await keys()).toEqual(keysOf(kept).sort());
  const planned = await withStores(({ jobs }) => jobs.list({ kind: BUCKET_DELETION_JOB, limit: 5 }));
  expect(planned.jobs).toMatchObject([{ payload: { callId: id, part: "recording" } }]);
});
