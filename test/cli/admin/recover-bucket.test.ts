import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { recover } from "../../../src/cli/admin/recover.ts";
import { systemClock } from "../../../src/core/clock.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { asAccountId, asCallId, asNodeName, type CallId } from "../../../src/core/ids.ts";
import { SharedJournals } from "../../../src/record/bucket/shared-journals.ts";
import { journalDirectory, journalPath } from "../../../src/record/journal/reader.ts";
import { OwnBucket } from "../../../src/store/bucket/own-bucket.ts";
import { BUCKET_DELETION_JOB } from "../../../src/store/job-kinds.ts";
import { openStores, type StorePlace } from "../../../src/store/open-stores.ts";
import type { Stores } from "../../../src/store/stores.ts";
import { recordedOutput } from "../../support/admin-output.ts";
import { S3_CREDENTIALS, type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { START } from "../../support/journals/example-call.ts";
import { JournalFile } from "../../support/journals/journal-file.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";

const ACCOUNT = asAccountId("account_01980000-0000-7000-8000-00000000000d");
const WHOLE = asCallId("call_01980000-0000-7000-8000-00000000000a");
const SHIPPED_PART = asCallId("call_01980000-0000-7000-8000-00000000000b");
const REDACTED = asCallId("call_01980000-0000-7000-8000-00000000000c");

let server: S3Server;
let place: StorePlace;
let journals: SharedJournals;
let output = recordedOutput();

beforeEach(async () => {
  server = await startS3Server();
  place = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  output = recordedOutput();
  vi.stubEnv("BUCKET_URL", server.url);
  vi.stubEnv("BUCKET_ACCESS_KEY_ID", S3_CREDENTIALS.accessKeyId);
  vi.stubEnv("BUCKET_SECRET_ACCESS_KEY", S3_CREDENTIALS.secretAccessKey);
  await withStores(async ({ bucketClaims }) => {
    const bucket = new OwnBucket(server.bucket(), bucketClaims);
    await bucket.check();
  });
  journals = new SharedJournals(server.bucket());
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

async function withStores<T>(work: (stores: Stores) => Promise<T>): Promise<T> {
  const stores = await openStores(place, systemClock);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

/** The journal of a call that has ended, in which the caller has said this, in the bucket and on no disk. */
async function ship(callId: CallId, { text = "canary", isWhole = true, redact = false } = {}): Promise<void> {
  const path = journalPath(temporaryDirectory(), callId);
  const turn = { role: "user" as const, text, startMs: callMs(1), endMs: callMs(2), interrupted: false };
  const spec = redact ? { ...START.spec, redact: ["phone_number" as const] } : START.spec;
  new JournalFile({ ...START, callId, accountId: ACCOUNT, spec }, path)
    .frameIn(20, 0, new Uint8Array(160))
    .add({ kind: "command", timeMs: callMs(30), command: { kind: "turn", turn } })
    .end(50);
  const bytes = readFileSync(path);
  const half = Math.floor(bytes.length / 2);
  await journals.put(callId, "live", 0, bytes.subarray(0, half));
  await journals.put(callId, "live", half, bytes.subarray(half));
  if (isWhole) await journals.complete(callId, { edition: "live", bytes: bytes.length });
}

const localJournals = (): string[] =>
  existsSync(journalDirectory(place.dataDir)) ? readdirSync(journalDirectory(place.dataDir)) : [];

test("recover makes records of journals that the bucket alone has, once, and leaves none of them on the disk", async () => {
  await ship(WHOLE);
  await ship(SHIPPED_PART, { isWhole: false });
  await recover(place, true, output);
  const found = [
    "2 of the journals are in the bucket alone",
    "2 journals: 0 calls have their records",
    "2 calls without a row would be restored, 0 without an end would be ended",
  ];
  expect(output.said).toEqual(found);
  expect(localJournals()).toEqual([]);

  output = recordedOutput();
  await recover(place, false, output);
  expect(output.said[2]).toBe("2 calls without a row were restored, 0 without an end were ended");
  await withStores(async ({ calls }) => {
    for (const id of [WHOLE, SHIPPED_PART]) {
      expect(await calls.get(ACCOUNT, id)).toMatchObject({ status: "ended", endReason: "caller_hangup" });
      expect(await calls.transcript(ACCOUNT, id)).toMatchObject([{ text: "canary" }]);
    }
  });
  expect(await journals.manifest(SHIPPED_PART)).toMatchObject({ edition: "live" });
  expect(localJournals()).toEqual([]);

  output = recordedOutput();
  await recover(place, false, output);
  expect(output.said[1]).toBe("2 journals: 2 calls have their records");
});

test("the original of a redacted call is replaced in the bucket when its record is recovered", async () => {
  await ship(REDACTED, { text: "My number is 415 555 2671.", isWhole: false, redact: true });
  await recover(place, false, output);
  const manifest = await journals.manifest(REDACTED);
  expect(manifest?.edition).toMatch(/^redacted-/);
  expect(await journals.shippedBytes(REDACTED, "live")).toBe(0);
  await withStores(async ({ jobs }) => {
    const { jobs: planned } = await jobs.list({ kind: BUCKET_DELETION_JOB, limit: 5 });
    expect(planned).toMatchObject([{ payload: { callId: REDACTED, kept: manifest?.edition } }]);
  });
});

test("recover refuses a bucket of another database, and a database whose bucket is not named", async () => {
  const other: StorePlace = { dataDir: temporaryDirectory(), databaseUrl: undefined };
  await (await openStores(other, systemClock)).close();
  await expect(recover(other, false, output)).rejects.toMatchObject({ code: "wrong_bucket" });
  vi.stubEnv("BUCKET_URL", "");
  vi.stubEnv("BUCKET_ACCESS_KEY_ID", "");
  vi.stubEnv("BUCKET_SECRET_ACCESS_KEY", "");
  await expect(recover(place, false, output)).rejects.toThrow("BUCKET_URL is not set");
});

test("recover refuses while a node runs, whose calls are live", async () => {
  await ship(WHOLE);
  await withStores(async ({ nodes, epochs }) => {
    await nodes.register({
      holder: { name: asNodeName("one"), incarnation: await epochs.next() },
      installation: "disk",
      mediaUrl: undefined,
      webrtcUrl: undefined,
      relayUrl: undefined,
      version: "1.0.0",
      ipcVersion: 1,
      journalVersion: 1,
    });
  });
  await expect(recover(place, false, output)).rejects.toThrow("stop all nodes first: one run on this database");
  rmSync(place.dataDir, { recursive: true, force: true });
});
