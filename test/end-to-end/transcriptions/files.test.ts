import { createReadStream, existsSync, openAsBlob, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import OpenAI from "openai";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { TranscriptionResult } from "../../../src/core/transcriptions/result.ts";
import { monoWav, wavHeader } from "../../../src/media/wav.ts";
import { builtProgram } from "../../support/services/build.ts";
import { runProgram } from "../../support/services/run-program.ts";
import { Service, until } from "../../support/services/service.ts";
import { temporaryDirectory } from "../../support/temporary-directory.ts";
import { RATE_HZ, spoken } from "../../support/transcriptions/spoken.ts";

// Files through the whole service: the reference STT understands the reference TTS, word for word.

const SENTENCES = [
  "The bakery is open from Tuesday to Saturday.",
  "Birthday cakes must be ordered two days ahead.",
  "Delivery is free within three miles.",
];
const WORDS = SENTENCES.map((sentence) => sentence.split(" ").length).reduce((sum, words) => sum + words);
const DONE_MS_MAX = 60_000;

interface Item {
  id: string;
  status: string;
  hasAudio: boolean;
  failure: { code: string; message: string } | null;
  usage: { provider: string; audioSeconds: number }[] | null;
  result?: TranscriptionResult;
}

let service: Service;
let speech: Int16Array;
beforeAll(async () => {
  [service, speech] = await Promise.all([Service.start(), spoken(SENTENCES)]);
});

function speechFile(): string {
  const path = join(temporaryDirectory(), "speech.wav");
  writeFileSync(path, monoWav(speech, RATE_HZ));
  return path;
}

async function upload(path: string, fields: Readonly<Record<string, string>> = {}): Promise<Item> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ language: "en", ...fields })) form.append(name, value);
  form.append("file", await openAsBlob(path), "speech.wav");
  const response = await fetch(`${service.apiUrl}/api/v1/transcriptions`, {
    method: "POST",
    headers: { "X-API-Key": service.apiKey },
    body: form,
  });
  const text = await response.text();
  expect(response.status, text).toBe(202);
  return JSON.parse(text) as Item;
}

const over = (id: string): Promise<Item> =>
  until(`transcription ${id} to be over`, DONE_MS_MAX, async () => {
    const { body } = await service.api<Item>("GET", `/transcriptions/${id}`);
    return body.status !== "queued" && body.status !== "processing" && body;
  });

const audioFiles = (): string[] => {
  const folder = join(service.dataDir, "transcriptions");
  return existsSync(folder) ? readdirSync(folder) : [];
};

test("an upload is transcribed word for word, in every format, and deleted with everything", async () => {
  const { id } = await upload(speechFile());
  const { status, result, usage } = await over(id);
  expect(status).toBe("completed");
  expect(result?.text).toBe(SENTENCES.join(" "));
  expect(result?.words).toHaveLength(WORDS);
  expect(result?.durationMs).toBe((speech.length * 1_000) / RATE_HZ);
  expect(usage).toEqual([expect.objectContaining({ provider: "reference" })]);
  const vtt = await service.api("GET", `/transcriptions/${id}?format=vtt`);
  expect(vtt.bytes.toString()).toMatch(/^WEBVTT\n\n00:00:0\d\.\d{3} --> /);
  expect((await service.api("GET", `/transcriptions/${id}?format=text`)).bytes.toString()).toContain(SENTENCES[1]);
  expect(audioFiles()).toContain(`${id}.audio`);
  expect((await service.api("DELETE", `/transcriptions/${id}`)).status).toBe(204);
  expect(audioFiles()).not.toContain(`${id}.audio`);
  expect((await service.api("GET", `/transcriptions/${id}`)).status).toBe(404);
});

test("the channels of a file are transcribed each for itself", async () => {
  const both = new Int16Array(2 * speech.length);
  // The second channel says the same later.
  for (let i = 0; i < speech.length; i += 1) {
    both[2 * i] = speech[i] as number;
    both[2 * i + 1] = speech[(i + speech.length - 3 * RATE_HZ) % speech.length] as number;
  }
  const path = join(temporaryDirectory(), "stereo.wav");
  writeFileSync(path, Buffer.concat([wavHeader(speech.length, RATE_HZ, 2), Buffer.from(both.buffer)]));
  const { result } = await over((await upload(path, { channels: "separate" })).id);
  expect(result?.channels).toBe(2);
  const ofChannel = (channel: number) => result?.words.filter((word) => word.channel === channel).length;
  expect([ofChannel(0), ofChannel(1)]).toEqual([WORDS, expect.any(Number)]);
  expect(ofChannel(1)).toBeGreaterThan(WORDS / 2);
});

test("audio is fetched from a URL that is allowed, and deleted where that is asked for", async () => {
  const server = createServer(
    (_, response) => void response.writeHead(200, { "content-type": "audio/wav" }).end(monoWav(speech, RATE_HZ)),
  );
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/speech.wav`;
  const refused = await service.api<Item>("POST", "/transcriptions", { url, language: "en" });
  expect(await over(refused.body.id)).toMatchObject({ status: "failed", failure: { code: "audio_unavailable" } });
  const loopback = await Service.start({ env: { WEBHOOKS_ALLOW_LOOPBACK: "true" } });
  const created = await loopback.api<Item>("POST", "/transcriptions", { url, language: "en", deleteAudio: true });
  const done = await until("the URL to be transcribed", DONE_MS_MAX, async () => {
    const { body } = await loopback.api<Item>("GET", `/transcriptions/${created.body.id}`);
    return body.result !== undefined && body.result !== null && !body.hasAudio && body;
  });
  expect(done.result?.text).toBe(SENTENCES.join(" "));
  expect(readdirSync(join(loopback.dataDir, "transcriptions"))).toEqual([]);
});

test("a file that is no audio fails with what it is, one that needs FFmpeg is refused without it, and both leave nothing", async () => {
  const damaged = join(temporaryDirectory(), "damaged.wav");
  writeFileSync(damaged, Buffer.from("RIFF\0\0\0\0WAVEfmt "));
  const { id } = await upload(damaged, { deleteAudio: "true" });
  expect(await over(id)).toMatchObject({
    status: "failed",
    failure: { code: "audio_unreadable", message: "the WAV file ends before its samples" },
  });
  // The service of this test has no PATH, so that it finds none.
  const form = new FormData();
  form.append("file", new Blob(["ID3 and so on"]), "song.mp3");
  const headers = { "X-API-Key": service.apiKey };
  const refused = await fetch(`${service.apiUrl}/api/v1/transcriptions`, { method: "POST", headers, body: form });
  expect([refused.status, await refused.text()]).toEqual([415, expect.stringMatching(/WAV.*FFmpeg|FFmpeg.*WAV/)]);
  await until("the audio to be deleted", DONE_MS_MAX, () => !audioFiles().some((name) => name.startsWith(id)));
});

test("after the death of the control process each of them is transcribed once", async () => {
  const ids = await Promise.all([1, 2, 3].map(async () => (await upload(speechFile())).id));
  await service.killChild("control");
  await until("the API to answer", DONE_MS_MAX, () =>
    service.api("GET", "/transcriptions").then(
      () => true,
      () => false,
    ),
  );
  for (const id of ids) expect((await over(id)).result?.text).toBe(SENTENCES.join(" "));
});

test("the official OpenAI client is served", async () => {
  const openai = new OpenAI({ apiKey: service.apiKey, baseURL: `${service.apiUrl}/api/v1` });
  const file = createReadStream(speechFile());
  const { text } = await openai.audio.transcriptions.create({ file, model: "whisper-1", language: "en" });
  expect(text).toBe(SENTENCES.join(" "));
});

test("npm run transcribe does it by itself, and by a service, which keeps nothing", async () => {
  const file = speechFile();
  const program = builtProgram("cli/transcribe");
  const command = (...args: string[]) => runProgram([program, ...args]);
  const byItself = await runProgram([program, file, "--language", "en"], { STT: "reference", TTS: "reference" });
  expect(byItself).toMatchObject({
    code: 0,
    stdout: `${SENTENCES.join(" ")}\n`,
    stderr: expect.stringContaining("100 %"),
  });
  const byService = await command(file, "--service", service.apiUrl, "--key", service.apiKey, "--language", "en");
  expect(byService).toMatchObject({ code: 0, stdout: `${SENTENCES.join(" ")}\n` });
  expect((await service.api<{ data: Item[] }>("GET", "/transcriptions?limit=100")).body.data.length).toBeLessThan(20);
  const missing = await command(
    join(temporaryDirectory(), "missing.wav"),
    "--service",
    service.apiUrl,
    "--key",
    service.apiKey,
  );
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining("there is no such file") });
  expect(await command(file, "--format", "doc")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--format must be one of"),
  });
});
