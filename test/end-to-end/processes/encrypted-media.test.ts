import { readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isEncrypted, type MediaKey } from "../../../src/core/encryption/chunks.ts";
import type { CallId } from "../../../src/core/ids.ts";
import { journalPath } from "../../../src/record/journal/reader.ts";
import { recordingPath } from "../../../src/record/recording/render.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import type { CallerEvent } from "../../../src/simulator/callers/caller.ts";
import { Keyring, sealingKeyOf } from "../../../src/store/sealing/seal.ts";
import { conversation, telephone, utterance } from "../../callers/telephone.ts";
import { audioFound, wordsFound } from "../../support/audio/leaked-content.ts";
import { Service, until, withStores } from "../../support/services/service.ts";

const GREETING = "Hartwell bakery.";
const PROMPT = "On Sunday the bakery is open from eight until noon, but the ovens stay cold.";
const SECRETS = Buffer.alloc(32, 7);
const ENV = { ENCRYPT_MEDIA: "true", SECRETS_KEY: SECRETS.toString("base64"), LOG_LEVEL: "debug" };
/** Long enough for any machine. */
const RECOVERY_MS_MAX = 30_000;

const keyOf = (service: Service, id: CallId): Promise<MediaKey | undefined> =>
  withStores(service.dataDir, (stores) => stores.openMediaKeys(new Keyring([sealingKeyOf(SECRETS)])).find(id));

/** Neither words nor audio are in a file of the call, nor its key or the secrets key in the log. */
async function expectNothingPlain(service: Service, id: CallId, key: MediaKey, frames: Uint8Array[]): Promise<void> {
  for (const path of [journalPath(service.dataDir, id), recordingPath(service.dataDir, id)]) {
    const bytes = readFileSync(path);
    expect(isEncrypted(bytes)).toBe(true);
    const text = bytes.toString("latin1");
    expect(wordsFound(text, `${GREETING} ${PROMPT}`)).toEqual([]);
    const { loud, ...found } = audioFound(text, frames);
    expect(loud).toBeGreaterThan(10);
    expect(found).toEqual({ mulaw: 0, base64: 0, mono: 0, stereo: 0 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  }
  const logged = service.process.stdout + service.process.stderr;
  for (const secret of [key.bytes, SECRETS]) {
    for (const encoding of ["base64", "base64url", "hex"] as const)
      expect(logged).not.toContain(Buffer.from(secret).toString(encoding));
  }
}

test.concurrent("an encrypted call: nothing of it is plain on the disk, and API, ranges, events and replay read it as ever", {
  timeout: 90_000,
}, async () => {
  const [service, question] = await Promise.all([Service.start({ env: ENV }), utterance("Goodbye!")]);
  const { id, websocketUrl } = await service.createCall({ systemPrompt: PROMPT, greeting: GREETING });
  await telephone(websocketUrl, conversation([question]));
  await service.ended(id, RECOVERY_MS_MAX);
  await service.withRecording(id, RECOVERY_MS_MAX);
  const key = await keyOf(service, id);
  if (key === undefined) throw new Error("the call has no key");
  await expectNothingPlain(service, id, key, [...question.frames]);

  const headers = { "X-API-Key": service.apiKey };
  const whole = await fetch(`${service.apiUrl}/api/v1/calls/${id}/recording`, { headers });
  const wav = Buffer.from(await whole.arrayBuffer());
  expect([whole.status, wav.subarray(0, 4).toString(), wav.length]).toEqual([
    200,
    "RIFF",
    Number(whole.headers.get("content-length")),
  ]);
  for (const [start, end] of [
    [0, 43],
    [65_530, 65_545],
    [131_071, 131_072],
    [wav.length - 10, wav.length - 1],
  ]) {
    const part = await fetch(`${service.apiUrl}/api/v1/calls/${id}/recording`, {
      headers: { ...headers, Range: `bytes=${start}-${end}` },
    });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end}/${wav.length}`]);
    expect(Buffer.from(await part.arrayBuffer()).equals(wav.subarray(start, (end ?? 0) + 1))).toBe(true);
  }
  const events = await service.api<{ data: object[] }>("GET", `/calls/${id}/events?limit=5`);
  expect(events.body.data.length).toBe(5);
  expect(await compareJournal({ path: journalPath(service.dataDir, id), key })).toMatchObject({
    difference: undefined,
    truncated: false,
  });

  // A recording that was changed is refused, not sent.
  const path = recordingPath(service.dataDir, id);
  writeFileSync(path, readFileSync(path).subarray(0, -1));
  expect((await service.recording(id)).status).toBe(404);
  expect((await service.api("DELETE", `/calls/${id}`)).status).toBe(204);
  expect(await keyOf(service, id)).toBeUndefined();
});

test.concurrent("an encrypted call whose processes are all killed is recovered from its journal by the next start", {
  timeout: 90_000,
}, async () => {
  const first = await Service.start({ env: ENV });
  const { id, websocketUrl } = await first.createCall({ systemPrompt: PROMPT, greeting: `${GREETING} ${PROMPT}` });
  let words = 0;
  let killed: Promise<void> | undefined;
  const notice = (event: CallerEvent): void => {
    if (event.kind !== "word" || event.who !== "agent") return;
    words += 1;
    if (words === 8) killed = first.process.kill();
  };
  await telephone(websocketUrl, [{ do: "await-hang-up" }], { notice });
  expect(words).toBeGreaterThanOrEqual(8);
  await killed;
  const second = await Service.start({ env: ENV, dataDir: first.dataDir, apiKey: first.apiKey });
  const record = await until(`call ${id} to have its record`, RECOVERY_MS_MAX, async () => {
    const call = await second.call(id);
    return call.status === "ended" && call;
  });
  expect(record).toMatchObject({ endReason: "worker_lost", transcriptComplete: false });
  const [turn] = await second.transcript(id);
  expect(turn?.text).toMatch(/^Hartwell bakery\./);
  expect((await second.withRecording(id, RECOVERY_MS_MAX)).recording).toMatchObject({ complete: false });
  expect(isEncrypted(readFileSync(recordingPath(second.dataDir, id)))).toBe(true);
});
