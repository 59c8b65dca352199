import { existsSync, readFileSync, rmSync } from "node:fs";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { CallId } from "../../../src/core/ids.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { waveformPath } from "../../../src/record/recording/waveform.ts";
import { conversation, telephone, utterance } from "../../callers/telephone.ts";
import { S3_CREDENTIALS, type S3Server, startS3Server } from "../../support/bucket/s3-server.ts";
import { Service, ServiceProcess, until } from "../../support/services/service.ts";

const GREETING = "Hartwell bakery.";
/** Long enough for any machine. */
const READY_MS_MAX = 30_000;

let server: S3Server;
let env: Readonly<Record<string, string>>;
beforeEach(async () => {
  server = await startS3Server();
  env = {
    BUCKET_URL: server.url,
    BUCKET_ACCESS_KEY_ID: S3_CREDENTIALS.accessKeyId,
    BUCKET_SECRET_ACCESS_KEY: S3_CREDENTIALS.secretAccessKey,
    BUCKET_SEGMENT_S: "1",
  };
});
afterEach(() => server.close());

async function keysIn(prefix: string): Promise<string[]> {
  const keys = [];
  for await (const { key } of server.bucket().list(prefix)) keys.push(key);
  return keys;
}

/** A whole call with its record and its recording. */
async function call(service: Service, settings: object = {}): Promise<CallId> {
  const { id, websocketUrl } = await service.createCall({ greeting: GREETING, ...settings });
  await telephone(websocketUrl, conversation([await utterance("Goodbye!")]));
  await service.ended(id, READY_MS_MAX);
  await service.withRecording(id, READY_MS_MAX);
  return id;
}

test("a call whose files are gone from the disk is read from the bucket, and deleted there", {
  timeout: 120_000,
}, async () => {
  const service = await Service.start({ env });
  const id = await call(service);
  expect(await keysIn(`journals/${id}/`)).toContain(`journals/${id}/journal.json`);
  await until("the recording to be stored", READY_MS_MAX, async () => (await keysIn("recordings/")).length === 2);
  const [events, recording] = [await service.api("GET", `/calls/${id}/events`), await service.recording(id)];
  const waveform = await service.api("GET", `/calls/${id}/waveform`);
  const files = [journalPath(service.dataDir, id), recordingPath(service.dataDir, id)];
  for (const path of [...files, waveformPath(recordingPath(service.dataDir, id))]) rmSync(path);

  expect((await service.api("GET", `/calls/${id}/events`)).body).toEqual(events.body);
  expect((await service.api("GET", `/calls/${id}/waveform`)).body).toEqual(waveform.body);
  const shared = await service.recording(id);
  expect([shared.status, shared.headers.get("etag")]).toEqual([200, recording.headers.get("etag")]);
  expect(existsSync(recordingPath(service.dataDir, id))).toBe(false);
  expect((await service.api("DELETE", `/calls/${id}`)).status).toBe(204);
  expect([...(await keysIn("journals/")), ...(await keysIn("recordings/"))]).toEqual([]);
});

test("a call whose service is lost with its disk has its record made from what was shipped", {
  timeout: 120_000,
}, async () => {
  const first = await Service.start({ env });
  const { id, websocketUrl } = await first.createCall({ greeting: `${GREETING} ${"We are open today. ".repeat(20)}` });
  let killed: Promise<void> | undefined;
  await telephone(websocketUrl, [{ do: "await-hang-up" }], {
    notice() {
      killed ??= until("segments", READY_MS_MAX, async () => (await keysIn(`journals/${id}/live/`)).length > 1).then(
        () => first.process.kill(),
      );
    },
  });
  await killed;
  rmSync(journalPath(first.dataDir, id));
  const second = await Service.start({ env, dataDir: first.dataDir, apiKey: first.apiKey });
  const record = await until(`call ${id} to have its record`, READY_MS_MAX, async () => {
    const one = await second.call(id);
    return one.status === "ended" && one;
  });
  expect(record).toMatchObject({ endReason: "worker_lost", transcriptComplete: false });
  await second.withRecording(id, READY_MS_MAX);
});

test("nothing of the original of a redacted call is in the bucket", { timeout: 120_000 }, async () => {
  const service = await Service.start({ env });
  const { id, websocketUrl } = await service.createCall({ greeting: GREETING, redact: ["phone_number"] });
  await telephone(
    websocketUrl,
    conversation([await utterance("My number is 415 555 2671."), await utterance("Goodbye!")]),
  );
  await service.ended(id, READY_MS_MAX);
  await until(
    "the original to be deleted",
    READY_MS_MAX,
    async () => (await keysIn(`journals/${id}/live/`)).length === 0,
  );
  const keys = await keysIn(`journals/${id}/`);
  expect(keys).toContain(`journals/${id}/journal.json`);
  const local = readFileSync(journalPath(service.dataDir, id));
  const segments = keys.filter((key) => !key.endsWith(".json"));
  const bytes = await Promise.all(segments.map((key) => server.bucket().get(key)));
  const kept = Buffer.concat(bytes.map((some) => some ?? new Uint8Array()));
  expect(kept.equals(local)).toBe(true);
  expect([kept.includes("[phone number]"), kept.includes("2671")]).toEqual([true, false]);
});

test("a new database beside a full bucket does not start, and says what is wrong", { timeout: 120_000 }, async () => {
  const service = await Service.start({ env });
  await service.process.kill();
  const other = new ServiceProcess({ env });
  expect(await other.exited).not.toBe(0);
  const said = other.stdout + other.stderr;
  expect(said).toContain("the bucket has the marker of another database");
  expect(said).not.toContain(`"${env.BUCKET_SECRET_ACCESS_KEY}"`);
});
