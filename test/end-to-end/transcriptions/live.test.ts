import { beforeAll, expect, test } from "vitest";
import { asCallId } from "../../../src/core/ids.ts";
import { monoWav } from "../../../src/media/wav.ts";
import { journalPath, readJournal } from "../../../src/record/journal/reader.ts";
import { compareJournal } from "../../../src/record/replay/comparison.ts";
import { type AudioFormat, frameBytes, silenceByte } from "../../../src/simulator/audio/format.ts";
import type { Utterance } from "../../../src/simulator/callers/utterance.ts";
import { LiveClient } from "../../callers/live-client.ts";
import { utterance } from "../../callers/telephone.ts";
import { Service, until } from "../../support/services/service.ts";
import { ifMachineStalled } from "../../support/stalled-machine.ts";
import { allBytes } from "../../support/temporary-directory.ts";

const PCM: AudioFormat = { codec: "pcm_s16le", rateHz: 16_000 };
const FIRST = "Good morning, the meeting begins.";
const SECOND = "We talk about bread and butter.";
const CARD = "4929 7318 6052 4404";
const CARD_LINE = `My card is ${CARD}, thank you.`;
const PAUSE_MS = 1_200;
const STREAMS = 20;

interface Item {
  id: string;
  status: string;
  failure: { code: string } | null;
  usage: { provider: string; audioSeconds: number }[];
  result: {
    text: string;
    durationMs: number;
    utterances: { text: string; startMs: number; endMs: number }[];
    words: { text: string; startMs: number; endMs: number }[];
    parts: { provider: string; startMs: number; endMs: number }[];
  };
}

let service: Service;
let lines: Utterance[];
beforeAll(async () => {
  const spoken = Promise.all([utterance(FIRST, PCM), utterance(SECOND, PCM)]);
  [service, lines] = await Promise.all([Service.start(), spoken]);
});

const silence = (ms: number, format = PCM): Uint8Array[] =>
  Array.from({ length: ms / 20 }, () => new Uint8Array(frameBytes(format)).fill(silenceByte(format)));

/** Both lines, with a pause before each and after the last. */
const meeting = (): Uint8Array[] => [
  ...silence(500),
  ...(lines[0]?.frames ?? []),
  ...silence(PAUSE_MS),
  ...(lines[1]?.frames ?? []),
  ...silence(PAUSE_MS),
];

async function create(body: object = {}): Promise<{ id: string; websocketUrl: string }> {
  const path = "/transcriptions/live";
  return await until("a live transcription to be taken", 20_000, async () => {
    const answer = await service.api<{ id: string; websocketUrl: string }>("POST", path, {
      language: "en-US",
      ...body,
    });
    return answer.status === 201 && answer.body;
  });
}

const over = (id: string): Promise<Item> =>
  until(`transcription ${id} to be over`, 20_000, async () => {
    const answer = await service.api<Item>("GET", `/transcriptions/${id}`).catch(() => undefined);
    return answer?.status === 200 && !["queued", "processing"].includes(answer.body.status) && answer.body;
  });

/** What is final by its journal, as `LiveClient.text`. */
async function journaled(id: string): Promise<string> {
  const texts: string[] = [];
  await readJournal(journalPath(service.dataDir, asCallId(id)), (record) => {
    if (record.kind === "command" && record.command.kind === "utterance") texts.push(record.command.text);
  });
  return texts.filter((text) => text !== "").join(" ");
}

test.concurrent("a live stream: finals come with times while it goes on, and the record has the same words", {
  retry: ifMachineStalled,
}, async () => {
  const { id, websocketUrl } = await create();
  const client = new LiveClient(websocketUrl);
  await client.speak(meeting());
  expect(client.messages[0]).toMatchObject({ type: "ready", transcriptionId: id });
  await until("all to be final", 3_000, () => client.text === `${FIRST} ${SECOND}`);
  expect(client.received("interim").length).toBeGreaterThan(4);
  await client.end();
  expect(client.messages.at(-1)).toMatchObject({ type: "end", reason: "caller_hangup" });

  const item = await over(id);
  expect(item).toMatchObject({ status: "completed", failure: null });
  expect(item.result.text).toBe(`${FIRST} ${SECOND}`);
  expect(item.result.utterances.map(({ text, startMs, endMs }) => ({ type: "final", text, startMs, endMs }))).toEqual(
    client.received("final").map(({ type, text, startMs, endMs }) => ({ type, text, startMs, endMs })),
  );
  // The times are those of the audio: the first line begins after 500 ms.
  const { utterances } = item.result;
  expect(Math.abs((utterances[0]?.startMs ?? 0) - 500)).toBeLessThan(400);
  const second = utterances.findIndex(({ text }) => text.startsWith("We"));
  const pauseMs = (utterances[second]?.startMs ?? 0) - (utterances[second - 1]?.endMs ?? 0);
  expect(Math.abs(pauseMs - PAUSE_MS)).toBeLessThan(400);
  expect(item.result.words.map(({ text }) => text).join(" ")).toBe(`${FIRST} ${SECOND}`);
  expect(item.result.parts).toEqual([
    expect.objectContaining({ provider: "reference", startMs: 0, endMs: item.result.durationMs }),
  ]);
  expect(item.usage[0]?.audioSeconds).toBeGreaterThan(3);
  const srt = await service.api("GET", `/transcriptions/${id}?format=srt`);
  expect(srt.bytes.toString()).toContain("the meeting begins.");

  const replay = await compareJournal(journalPath(service.dataDir, asCallId(id)));
  expect(replay).toMatchObject({ difference: undefined, truncated: false });
  expect((await service.api("GET", `/calls/${id}`)).status).toBe(404);
  expect(service.logged("transcription finished").find((line) => line.transcriptionId === id)).toMatchObject({
    source: "live",
    status: "completed",
  });
});

test.concurrent("the words of a live stream are those of the same audio as a file", {
  retry: ifMachineStalled,
}, async () => {
  const { id, websocketUrl } = await create();
  const client = new LiveClient(websocketUrl);
  await client.speak(meeting());
  await client.end();
  const bytes = Buffer.concat(meeting());
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  const form = new FormData();
  form.append("language", "en-US");
  form.append("file", new Blob([monoWav(samples, PCM.rateHz)]), "meeting.wav");
  const headers = { "X-API-Key": service.apiKey };
  const answer = await fetch(`${service.apiUrl}/api/v1/transcriptions`, { method: "POST", headers, body: form });
  const file = await over(((await answer.json()) as { id: string }).id);
  const wordsOf = ({ result }: Item): string[] => result.words.map(({ text }) => text);
  expect(wordsOf(file)).toEqual(`${FIRST} ${SECOND}`.split(" "));
  expect(wordsOf(await over(id))).toEqual(wordsOf(file));
});

test.concurrent("end in the middle of speech: what was said is final before the end", {
  retry: ifMachineStalled,
}, async () => {
  const { id, websocketUrl } = await create();
  const client = new LiveClient(websocketUrl);
  await client.speak([...silence(500), ...(lines[0]?.frames ?? [])]);
  await client.end();
  expect(client.text).toBe(FIRST);
  expect((await over(id)).result.text).toBe(FIRST);
});

test.concurrent("finalize is answered at once, also where nothing was said", { retry: ifMachineStalled }, async () => {
  const { websocketUrl } = await create();
  const client = new LiveClient(websocketUrl);
  await client.opened();
  client.send({ type: "finalize" });
  await until("an empty final", 3_000, () => client.received("final").length === 1);
  expect(client.received("final")).toEqual([{ type: "final", index: 0, text: "", startMs: 0, endMs: 0, words: [] }]);
  await client.end();
});

test.concurrent("a flood and the wrong codec end one with a typed end, and others go on", {
  retry: ifMachineStalled,
}, async () => {
  const [flood, wrong] = [await create(), await create({ websocket: { codec: "opus", inputSampleRate: 48_000 } })];
  const flooding = new LiveClient(flood.websocketUrl);
  await flooding.opened();
  for (let n = 0; n < 300; n += 1) flooding.sendAudio(new Uint8Array(frameBytes(PCM)));
  expect(await flooding.closed).toBe(1_008);
  expect(flooding.messages.at(-1)).toMatchObject({ type: "end", reason: "audio_flood" });
  expect((await over(flood.id)).status).toBe("completed");

  const client = new LiveClient(wrong.websocketUrl);
  await client.opened();
  for (let n = 0; n < 100; n += 1) client.sendAudio(Buffer.from([0xff, n, 0x00]));
  expect(await client.closed).toBe(1_008);
  expect(client.received("error")[0]).toMatchObject({ code: "wire_malformed" });
  expect(client.messages.at(-1)).toMatchObject({ type: "end", reason: "protocol_error" });
});

test.concurrent("both sides that end it at once leave one record", { retry: ifMachineStalled }, async () => {
  const { id, websocketUrl } = await create();
  const client = new LiveClient(websocketUrl);
  await client.speak(silence(200));
  const cancelled = service.api("POST", `/transcriptions/${id}/cancel`, {});
  client.send({ type: "end" });
  client.breakOff();
  expect([200, 202, 503]).toContain((await cancelled).status);
  expect((await over(id)).status).toBe("completed");
});

test(`${STREAMS} at once have their own words`, { retry: ifMachineStalled, timeout: 120_000 }, async () => {
  const streams = await Promise.all(Array.from({ length: STREAMS }, () => create()));
  const texts = await Promise.all(
    streams.map(async ({ websocketUrl }, index) => {
      const client = new LiveClient(websocketUrl);
      await client.speak([...silence(200 + 20 * index), ...(lines[index % 2]?.frames ?? []), ...silence(PAUSE_MS)]);
      await client.end();
      return client.text;
    }),
  );
  expect(texts).toEqual(streams.map((_, index) => (index % 2 === 0 ? FIRST : SECOND)));
});

test("a worker that is killed in the middle leaves what was final, with labels in place of what is redacted", {
  retry: ifMachineStalled,
}, async () => {
  const { id, websocketUrl } = await create({ redact: ["card_number"] });
  const client = new LiveClient(websocketUrl);
  const line = await utterance(CARD_LINE, PCM);
  const speaking = client.speak([...meeting(), ...line.frames, ...silence(20_000)]);
  // Its client has the audio, and gets every word of it.
  const whole = `${FIRST} ${SECOND} ${CARD_LINE}`;
  await until("the lines to be final", 20_000, () => client.text === whole);
  await until("the lines to be in the journal", 20_000, async () => (await journaled(id)) === whole);
  process.kill(service.pid("worker"), "SIGKILL");
  await Promise.all([client.closed, speaking]);
  const item = await over(id);
  expect(item).toMatchObject({ status: "failed", failure: { code: "worker_lost" } });
  // A number that a pause divides between two utterances has a label in each.
  const text = item.result.text.replace(/(\[card number\])( \[card number\])+/, "$1");
  expect(text).toBe(whole.replace(CARD, "[card number]"));
  expect(allBytes(service.dataDir)).not.toContain(CARD);
});
