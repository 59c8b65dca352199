import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { AccountId, CorpusId, DocumentId, JobId } from "../../../src/core/ids.ts";
import { BUCKET_LATE_MS, RESERVATION_MS, ROOM_AWAITED_MS } from "../../../src/core/limits/storage/bucket.ts";
import { newId } from "../../../src/core/new-id.ts";
import { JobPostponed } from "../../../src/jobs/handler.ts";
import { FileCheckJob } from "../../../src/record/bucket/file-check-job.ts";
import { SharedFiles } from "../../../src/store/bucket/shared-files.ts";
import { DocumentFiles, documentFolder } from "../../../src/store/data-dir/document-files.ts";
import { TranscriptionAudio, transcriptionFolder } from "../../../src/store/data-dir/transcription-audio.ts";
import { FILE_CHECK_JOB } from "../../../src/store/job-kinds.ts";
import type { JobOutcome } from "../../../src/store/job-store.ts";
import { openSqliteStores } from "../../../src/store/sqlite/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { FaultyBucket } from "../../support/bucket/faulty-bucket.ts";
import { CORPUS, newDocument } from "../../support/knowledge/stored.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { ageClockOf } from "../../support/tokens.ts";
import { newTranscription, RESULT } from "../../support/transcriptions/stored.ts";

let bucket: FaultyBucket;
let clock: ManualClock;
let stores: Stores;
let accountId: AccountId;

beforeEach(async () => {
  bucket = new FaultyBucket();
  clock = new ManualClock();
  stores = await openSqliteStores(temporaryDirectory(), clock, { ageClock: ageClockOf(clock) });
  accountId = await stores.accounts.ensure("acme");
});
afterEach(() => stores.close());

const sharedFiles = (requireRoom = (): void => {}): SharedFiles =>
  new SharedFiles({ bucket, jobs: stores.jobs, clock, requireRoom });

/** The files of one of several nodes. */
function node(requireRoom?: () => void) {
  const dataDir = temporaryDirectory();
  const shared = sharedFiles(requireRoom);
  return { dataDir, audio: new TranscriptionAudio(dataDir, shared), documents: new DocumentFiles(dataDir, shared) };
}

/** Does the checks that are due. Returns how many. */
async function check({ encryptsMedia = false } = {}): Promise<number> {
  const claim = { runnerId: "runner", kinds: [FILE_CHECK_JOB], fullLanes: [], limit: 10 };
  const jobs = await stores.jobs.claim(claim);
  const { transcriptions, documents } = stores;
  const handler = new FileCheckJob({ transcriptions, documents, bucket, encryptsMedia });
  const settlements = new Map<JobId, JobOutcome>();
  for (const job of jobs) {
    settlements.set(job.id, { kind: "done" });
    await handler.run(job).catch((error: unknown) => {
      if (!(error instanceof JobPostponed)) throw error;
      settlements.set(job.id, { kind: "again", delayMs: error.afterMs });
    });
  }
  await stores.jobs.settle("runner", settlements);
  return jobs.length;
}

async function uploadAudio(at: ReturnType<typeof node>, id = newId("transcription")) {
  const file = await at.audio.create(id);
  await file.writeFile("audio");
  await file.close();
  await at.audio.share(id);
  await at.audio.release(id);
  return id;
}

async function uploadDocument(
  at: ReturnType<typeof node>,
  id: DocumentId,
  text: string,
  version = 1,
): Promise<boolean> {
  const file = await at.documents.create(id, version);
  await file.writeFile(text);
  await file.close();
  const isShared = await at.documents.share(id, version);
  await at.documents.release(id, version);
  return isShared;
}

test("audio that one node took is on no disk, and another node fetches it for as long as it needs it", async () => {
  const [one, two] = [node(), node()];
  const id = await uploadAudio(one);
  expect([existsSync(one.audio.path(id)), await bucket.keys()]).toEqual([false, [`transcriptions/${id}`]]);
  expect(await two.audio.fetch(id)).toBe(true);
  expect(readFileSync(two.audio.path(id), "utf8")).toBe("audio");
  expect(await two.audio.bytes(id)).toBe(5);
  await two.audio.release(id);
  expect(existsSync(two.audio.path(id))).toBe(false);
  expect(await one.audio.bytes(id)).toBe(5);
  await two.audio.remove(id);
  expect([await bucket.keys(), await one.audio.fetch(id)]).toEqual([[], false]);
});

test("a file whose node died before its record was stored is deleted, another one stays", async () => {
  const one = node();
  const id = await uploadAudio(one);
  const kept = newTranscription(accountId);
  await stores.transcriptions.create(kept);
  await bucket.put(`transcriptions/${kept.id}`, Buffer.from("audio"));
  await one.audio.share(kept.id).catch(() => {});
  clock.advance(RESERVATION_MS);
  expect(await check()).toBe(2);
  expect(await bucket.keys()).toEqual([`transcriptions/${kept.id}`]);
  expect(id).not.toBe(kept.id);
});

test("what arrives after a deletion is deleted by a job", async () => {
  const one = node();
  const id = await uploadAudio(one);
  await one.audio.remove(id);
  await bucket.put(`transcriptions/${id}`, Buffer.from("late"));
  clock.advance(BUCKET_LATE_MS);
  await check();
  expect(await bucket.keys()).toEqual([]);
});

test.each([
  { why: "that is to be deleted", more: { deletesAudio: true }, encryptsMedia: false },
  { why: "that is redacted", more: { redact: ["card_number"] as const }, encryptsMedia: false },
  { why: "beside encrypted media", more: {}, encryptsMedia: true },
])("audio $why is deleted by a job where the end of its transcription did not", async ({ more, encryptsMedia }) => {
  const one = node();
  const { redact, deletesAudio = false } = { redact: undefined, ...more };
  const given = newTranscription(accountId, { deletesAudio });
  const id = await uploadAudio(one, given.id);
  await stores.transcriptions.create({ ...given, options: { ...given.options, ...(redact && { redact }) } });
  clock.advance(RESERVATION_MS);
  expect(await check({ encryptsMedia })).toBe(1);
  expect(await bucket.keys()).toEqual([`transcriptions/${id}`]);
  await stores.transcriptions.end(id, { status: "completed", result: RESULT });
  clock.advance(RESERVATION_MS);
  expect(await check({ encryptsMedia })).toBe(1);
  expect([await bucket.keys(), (await stores.transcriptions.find(id))?.hasAudio]).toEqual([[], false]);
});

test("audio that could not be deleted at once is deleted when the bucket is back", async () => {
  const one = node();
  const given = newTranscription(accountId, { deletesAudio: true });
  const id = await uploadAudio(one, given.id);
  await stores.transcriptions.create(given);
  await stores.transcriptions.end(id, { status: "completed", result: RESULT });
  bucket.isAway = true;
  await expect(one.audio.remove(id)).rejects.toMatchObject({ code: "unavailable" });
  bucket.isAway = false;
  clock.advance(BUCKET_LATE_MS);
  expect(await check()).toBe(1);
  expect([await bucket.keys(), (await stores.transcriptions.find(id))?.hasAudio]).toEqual([[], false]);
});

test("beside encrypted media the file of a document is deleted by a job where the end of its processing did not", async () => {
  const one = node();
  const corpusId = (await stores.corpora.create(accountId, CORPUS))?.id as CorpusId;
  const document = newDocument(accountId, corpusId, { source: "upload" });
  await uploadDocument(one, document.id, "the file");
  await stores.documents.create(document);
  clock.advance(RESERVATION_MS);
  expect(await check({ encryptsMedia: true })).toBe(1);
  expect(await bucket.keys()).toEqual([`documents/${document.id}.1`]);
  await stores.documents.end(document.id, 1, {
    status: "failed",
    failure: { code: "abandoned", message: "it failed" },
  });
  clock.advance(RESERVATION_MS);
  expect(await check({ encryptsMedia: true })).toBe(1);
  expect([await bucket.keys(), (await stores.documents.find(document.id))?.fileVersion]).toEqual([[], undefined]);
});

test("of two nodes that replace a document at once one is refused, and the file of the other stays", async () => {
  const [one, two] = [node(), node()];
  const corpusId = (await stores.corpora.create(accountId, CORPUS))?.id as CorpusId;
  const document = newDocument(accountId, corpusId, { source: "upload" });
  await stores.documents.create(document);
  expect(await uploadDocument(one, document.id, "first", 2)).toBe(true);
  expect(await uploadDocument(two, document.id, "second", 2)).toBe(false);
  await two.documents.removeHere(document.id, 2);
  await one.documents.fetch(document.id, 2);
  expect(readFileSync(one.documents.path(document.id, 2), "utf8")).toBe("first");

  // The one that has the version fails to store its record, and another attempt may follow.
  await one.documents.remove(document.id, 2);
  expect(await uploadDocument(two, document.id, "second", 2)).toBe(true);
  clock.advance(BUCKET_LATE_MS);
  await check();
  expect(await bucket.keys()).toEqual([`documents/${document.id}.2`]);
});

test("a document whose upload failed with the bucket is uploaded again at once, and no check of the first one deletes it", async () => {
  const one = node();
  const corpusId = (await stores.corpora.create(accountId, CORPUS))?.id as CorpusId;
  const document = newDocument(accountId, corpusId, { source: "upload" });
  await stores.documents.create(document);
  bucket.isAway = true;
  await expect(uploadDocument(one, document.id, "first", 2)).rejects.toMatchObject({ code: "unavailable" });
  await expect(one.documents.remove(document.id, 2)).rejects.toMatchObject({ code: "unavailable" });
  bucket.isAway = false;
  clock.advance(RESERVATION_MS - 1);
  expect(await uploadDocument(one, document.id, "second", 2)).toBe(true);
  // A second request of the same process at the same time.
  expect(await uploadDocument(one, document.id, "third", 2)).toBe(false);
  await one.documents.removeHere(document.id, 2);
  clock.advance(1);
  await check();
  await one.documents.fetch(document.id, 2);
  expect(readFileSync(one.documents.path(document.id, 2), "utf8")).toBe("second");
});

test("a reservation that is over is forgotten", async () => {
  const cancelled: JobId[] = [];
  const jobs = {
    enqueue: stores.jobs.enqueue.bind(stores.jobs),
    cancel: async (id: JobId) => cancelled.push(id) > 0,
  };
  const shared = new SharedFiles({ bucket, jobs, clock, requireRoom: () => {} });
  const [first, second] = [`documents/${newId("doc")}.1`, `documents/${newId("doc")}.1`];
  await shared.reserve(first);
  clock.advance(RESERVATION_MS);
  await shared.reserve(second);
  await shared.remove(first);
  expect(cancelled).toHaveLength(0);
  await shared.remove(second);
  expect(cancelled).toHaveLength(1);
});

test("a file for which the disk has no room is not fetched, and leaves nothing", async () => {
  const id = await uploadAudio(node());
  const two = node(() => {
    throw new JobPostponed(ROOM_AWAITED_MS);
  });
  await expect(two.audio.fetch(id)).rejects.toBeInstanceOf(JobPostponed);
  expect(readdirSync(transcriptionFolder(two.dataDir))).toEqual([]);
});

test("a file that was on the disk before there was a bucket is brought there, and what the bucket has stays as it is", async () => {
  const dataDir = temporaryDirectory();
  const [before, id] = [new DocumentFiles(dataDir), newId("doc")];
  const write = async (): Promise<void> => {
    const file = await before.create(id, 1);
    await file.writeFile("the file");
    await file.close();
  };
  await write();
  const after = new DocumentFiles(dataDir, sharedFiles());
  await after.adopt(id, 1);
  const key = `documents/${id}.1`;
  expect(Buffer.from((await bucket.get(key)) ?? []).toString()).toBe("the file");
  expect(readdirSync(documentFolder(dataDir))).toEqual([]);
  await bucket.put(key, Buffer.from("of another node"));
  await write();
  await after.adopt(id, 1);
  expect(Buffer.from((await bucket.get(key)) ?? []).toString()).toBe("of another node");
  expect(readdirSync(documentFolder(dataDir))).toEqual([]);
});

test("while the bucket is away nothing is said to be shared, and a file that was not fetched whole is not there", async () => {
  const [one, two] = [node(), node()];
  const id = newId("transcription");
  await (await one.audio.create(id)).close();
  bucket.isAway = true;
  await expect(one.audio.share(id)).rejects.toMatchObject({ code: "unavailable" });
  await one.audio.release(id);
  expect(existsSync(one.audio.path(id))).toBe(true);
  await expect(two.audio.fetch(id)).rejects.toMatchObject({ code: "unavailable" });
  expect(existsSync(two.audio.path(id))).toBe(false);
  rmSync(one.dataDir, { recursive: true });
});

test("a part that the bucket does not give at once is asked for again", async () => {
  const [one, two] = [node(), node()];
  const id = await uploadAudio(one);
  bucket.failingReads = 2;
  await two.audio.fetch(id);
  expect(readFileSync(two.audio.path(id), "utf8")).toBe("audio");
});
