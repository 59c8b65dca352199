import { afterEach, describe, expect, test } from "vitest";
import { TURN_TEXT_CHARS_MAX } from "../../../../src/core/limits/calls.ts";
import { TTS_REQUESTS_PER_CONNECTION_MAX } from "../../../../src/core/limits/tts.ts";
import type { ClosableTts, TtsChunk, TtsRequest } from "../../../../src/speech/contracts.ts";
import { createCartesiaTts } from "../../../../src/speech/tts/providers/cartesia.ts";
import { ttsContract } from "../../../contract/speech/tts.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { CARTESIA_VOICE, FakeCartesia, type FakeCartesiaOptions } from "../../../support/providers/tts/cartesia.ts";
import { fakeSpeech, noiseBytes } from "../../../support/providers/tts/fake-speech.ts";
import type { TtsFault } from "../../../support/providers/tts/tts-server.ts";

const KEY = "canary-key";
const VOICE_ID = `cartesia/${CARTESIA_VOICE.id}`;
const TEXT = "Hello there, my friend. How are you today?";

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function scene(fake: FakeCartesiaOptions = {}, { model = "sonic-3.5" } = {}) {
  const server = await new FakeCartesia(fake).listen();
  const tts = createCartesiaTts({ apiKey: KEY, model, url: server.url, clock: new ManualClock() });
  opened.push(tts, server);
  return { server, tts };
}

async function spoken(tts: ClosableTts, request: Partial<TtsRequest> = {}, signal = new AbortController().signal) {
  const chunks: TtsChunk[] = [];
  const asked = { text: TEXT, voiceId: VOICE_ID, language: "en-US", ...request };
  for await (const chunk of tts.speak(asked, signal)) chunks.push(chunk);
  const samples = chunks.flatMap((chunk) => [...chunk.samples]);
  return { chunks, samples, words: chunks.flatMap((chunk) => [...chunk.words]), rateHz: chunks[0]?.rateHz };
}

ttsContract("Cartesia", async () => {
  const { tts } = await scene();
  return { tts, voiceId: VOICE_ID, drive: (promise) => promise };
});

describe("what is asked for", () => {
  test("a carrier's leg gets mu-law at 8,000 Hz, every other PCM at its own rate where there is one", async () => {
    const { server, tts } = await scene();
    for (const [rateHz, encoding, answered] of [
      [8_000, "pcm_mulaw", 8_000],
      [16_000, "pcm_s16le", 16_000],
      [48_000, "pcm_s16le", 48_000],
      [11_025, "pcm_s16le", 24_000],
      [undefined, "pcm_s16le", 24_000],
    ] as const) {
      const { samples, rateHz: told } = await spoken(tts, rateHz === undefined ? {} : { rateHz });
      expect(server.connections[0]?.messages.at(-1)).toEqual({
        model_id: "sonic-3.5",
        transcript: TEXT,
        voice: { mode: "id", id: CARTESIA_VOICE.id },
        language: "en",
        context_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        output_format: { container: "raw", encoding, sample_rate: answered },
        add_timestamps: true,
        use_normalized_timestamps: false,
        continue: false,
      });
      expect(told).toBe(answered);
      const said = fakeSpeech(TEXT, answered).samples;
      expect(samples).toHaveLength(said.length);
      const worst = Math.max(...samples.map((sample, index) => Math.abs(sample - (said[index] as number))));
      expect(worst).toBeLessThanOrEqual(encoding === "pcm_mulaw" ? 300 : 0);
    }
  });

  test.each([
    ["nb-NO", "no"],
    ["fil", "tl"],
    ["de-AT", "de"],
  ])("%s by Cartesia's own code, %s", async (language, code) => {
    const { server, tts } = await scene();
    await spoken(tts, { language });
    expect(server.connections[0]?.messages.at(-1)).toMatchObject({ language: code });
  });

  test("requests share a connection, whose key and version stand in headers alone", async () => {
    const { server, tts } = await scene();
    await spoken(tts);
    await Promise.all([spoken(tts), spoken(tts)]);
    expect(server.connections).toHaveLength(1);
    const [{ path, headers, messages } = { path: "", headers: {}, messages: [] }] = server.connections;
    expect(path).toBe("/tts/websocket");
    expect(headers).toMatchObject({
      authorization: `Bearer ${KEY}`,
      "cartesia-version": "2026-03-01",
    });
    expect(JSON.stringify(messages)).not.toContain(KEY);
    expect(new Set(messages.map(({ context_id }) => context_id)).size).toBe(3);
  });

  test("a connection that is full is left to those who are on it", async () => {
    const { server, tts } = await scene();
    await Promise.all(Array.from({ length: TTS_REQUESTS_PER_CONNECTION_MAX + 1 }, () => spoken(tts, { text: "Yes." })));
    expect(server.connections.map(({ messages }) => messages.length)).toEqual([TTS_REQUESTS_PER_CONNECTION_MAX, 1]);
  });

  test("a text without anything to be spoken, a text that nobody says in one turn and another's voice are not asked for", async () => {
    const { server, tts } = await scene();
    expect((await spoken(tts, { text: " ... — " })).chunks).toEqual([]);
    await expect(spoken(tts, { text: "x".repeat(TURN_TEXT_CHARS_MAX + 1) })).rejects.toThrow("the text is too long");
    await expect(spoken(tts, { voiceId: "espeak/gmw/en" })).rejects.toThrow("no such voice");
    expect(server.connections).toEqual([]);
  });
});

describe("words", () => {
  test("stand where they were told, with the punctuation they were told without", async () => {
    const { tts } = await scene();
    const { words } = await spoken(tts, { rateHz: 8_000 });
    expect(words.map(({ text, startMs, endMs }) => [text, Math.round(startMs), Math.round(endMs)])).toEqual(
      fakeSpeech(TEXT, 8_000).words.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
    );
  });

  test("share the time where no times are told", async () => {
    const { tts } = await scene({ withoutTimes: true });
    const { words, samples } = await spoken(tts, { rateHz: 8_000 });
    expect(words.map(({ text }) => text).join(" ")).toBe(TEXT);
    expect(words.at(-1)?.endMs).toBeCloseTo(samples.length / 8);
  });
});

test("a voice speaks as well what its model speaks, with an accent; of another model nobody knows", async () => {
  const [now] = await (await scene({ voicePages: [[CARTESIA_VOICE]] })).tts.voices();
  expect(now?.alsoSpeaks).toEqual(expect.arrayContaining(["de", "ja", "nb"]));
  const [earlier] = await (await scene({ voicePages: [[CARTESIA_VOICE]] }, { model: "sonic-2" })).tts.voices();
  expect([earlier?.alsoSpeaks, earlier?.otherLanguagesUnknown]).toEqual([undefined, true]);
});

test("voices of all pages are listed, in the language that they are native in", async () => {
  const german = { id: "b", name: "Bea", language: "de", locales: [] };
  const nameless = { id: "c", name: "", language: "fr" };
  const { server, tts } = await scene({
    voicePages: [[CARTESIA_VOICE], [german, { id: "x" }, { ...german, language: "?" }, nameless]],
  });
  expect((await tts.voices()).map(({ alsoSpeaks: _, ...voice }) => voice)).toEqual([
    { id: VOICE_ID, name: "Barbershop Man", language: "en-US", provider: "cartesia" },
    { id: "cartesia/b", name: "Bea", language: "de", provider: "cartesia" },
    { id: "cartesia/c", name: "c", language: "fr", provider: "cartesia" },
  ]);
  expect(server.requests.map(({ url }) => url.search)).toEqual([
    "?limit=100",
    `?limit=100&starting_after=${CARTESIA_VOICE.id}`,
  ]);
  expect(server.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${KEY}`,
    "cartesia-version": "2026-03-01",
  });
});

describe("faults", () => {
  const ERROR = { title: "Hello there", message: "what was said: Hello there" };

  test.each<[string, FakeCartesiaOptions, string]>([
    [
      "P8: too many requests",
      { error: { ...ERROR, status_code: 429, error_code: "concurrency_limited" } },
      "reported an error (concurrency_limited)",
    ],
    [
      "P16: a key that is no longer good",
      { error: { ...ERROR, status_code: 401, error_code: null } },
      "reported an error (401)",
    ],
    ["P8: a handshake that is refused", { fault: { kind: "status", status: 401 } }, "refused with 401"],
    ["P7, P10: no JSON", { fault: { kind: "message", data: "{" } }, "violated its protocol"],
    [
      "P10: a message of 8 MB",
      { fault: { kind: "message", data: "x".repeat(8 * 1024 * 1024) } },
      "the connection failed (WS_ERR_UNSUPPORTED_MESSAGE_LENGTH)",
    ],
    [
      "P10: a close in the middle",
      { fault: { kind: "closes", afterChunks: 3, code: 1011 } },
      "closed the connection (1011)",
    ],
    ["P14: no audio at all", { fault: { kind: "audio", bytes: Buffer.alloc(0) } }, "sent no audio"],
    [
      "P14: bytes that are no samples",
      { fault: { kind: "audio", bytes: noiseBytes(48_000) } },
      "sent noise: its audio is not in the format that was asked for",
    ],
    [
      "P14: 10 min of audio for a few words",
      { chunkMs: 5_000, fault: { kind: "audio", bytes: Buffer.alloc(600 * 48_000) } },
      "speaks far longer than its text",
    ],
  ])("%s is a failure, without a key or a word in it", async (_what, fake, why) => {
    const { tts } = await scene(fake);
    const error: unknown = await spoken(tts).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "provider_failed", message: `cartesia: ${why}` });
    expect(JSON.stringify((error as Error).cause ?? "")).not.toMatch(/canary|Hello/);
  });

  test.each([
    401, 402, 404, 429, 500,
  ])("an error of status %i on the connection is a refusal with it", async (status) => {
    const { tts } = await scene({ error: { ...ERROR, status_code: status, error_code: "some_code" } });
    await expect(spoken(tts)).rejects.toMatchObject({ cause: { status, retryAfterMs: undefined } });
  });

  test("P14: audio at another rate than was asked for is a failure, told by its words", async () => {
    const { tts } = await scene({ rateHz: 24_000 });
    const text = `${TEXT} `.repeat(8).trim();
    const why = "sent audio of another length than its words have: its rate is not the one that was asked for";
    await expect(spoken(tts, { text, rateHz: 16_000 })).rejects.toThrow(why);
    expect((await spoken(tts, { text, rateHz: 24_000 })).samples.length).toBeGreaterThan(0);
  });

  test("P10: when a connection is gone so is all that is on it, and the next request opens another", async () => {
    const { server, tts } = await scene({ fault: { kind: "hangs", afterChunks: 2 } });
    const failed = Promise.allSettled([spoken(tts), spoken(tts)]);
    await expect.poll(() => server.connections[0]?.messages.length).toBe(2);
    await server.close();
    for (const result of await failed) expect(result).toMatchObject({ reason: { code: "provider_failed" } });
    await expect(spoken(tts)).rejects.toThrow("the connection failed (ECONNREFUSED)");
  });

  test("P12: an abort cancels the context alone; what still comes of it is heard by nobody, and what else is spoken goes on", async () => {
    const { server, tts } = await scene({ perChunkMs: 5 });
    const life = new AbortController();
    const request = { text: TEXT.repeat(5), voiceId: VOICE_ID, language: "en" };
    const other = spoken(tts);
    for await (const _ of tts.speak(request, life.signal)) life.abort();
    expect((await other).words.map(({ text }) => text).join(" ")).toBe(TEXT);
    const cancelled = server.connections[0]?.messages.filter(({ cancel }) => cancel === true) ?? [];
    expect(cancelled).toHaveLength(1);
    await spoken(tts);
    expect(server.connections).toHaveLength(1);
  });

  test.each<[string, TtsFault]>([
    ["P2: never answers", { kind: "silent" }],
    ["P4: pings alone", { kind: "silent", pings: true }],
  ])("%s: a request that was given up closes the connection, and the next one opens another", async (_what, fault) => {
    const { server, tts } = await scene({ fault });
    for (const index of [0, 1]) {
      const life = new AbortController();
      const speaking = spoken(tts, {}, life.signal);
      await expect.poll(() => server.connections[index]?.messages.length).toBe(1);
      life.abort();
      expect((await speaking).chunks).toEqual([]);
      await server.connections[index]?.closed;
    }
  });

  test("what nobody pulls is bounded: a request that is far behind fails, and others go on", async () => {
    const bytes = Buffer.alloc(200 * 8_000);
    const { tts } = await scene({ chunkMs: 1_000, withoutTimes: true, fault: { kind: "audio", bytes } });
    const request = { text: "word ".repeat(200), voiceId: VOICE_ID, language: "en", rateHz: 8_000 };
    const slow = tts.speak(request, new AbortController().signal)[Symbol.asyncIterator]();
    await slow.next();
    expect((await spoken(tts, request)).samples).toHaveLength(bytes.length);
    const pullAll = async () => {
      while ((await slow.next()).done !== true);
    };
    await expect(pullAll()).rejects.toThrow("sent audio too far ahead of playout");
  });

  test("closing it ends what is being spoken, and every request behind it", async () => {
    const { server, tts } = await scene({ fault: { kind: "hangs", afterChunks: 1 } });
    const speaking = spoken(tts);
    await expect.poll(() => server.connections[0]?.messages.length).toBe(1);
    tts.close();
    await expect(speaking).rejects.toThrow("cartesia: closed");
    await expect(spoken(tts)).rejects.toThrow("cartesia: closed");
    await server.connections[0]?.closed;
  });
});
