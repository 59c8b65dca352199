import { afterEach, describe, expect, test } from "vitest";
import { TURN_TEXT_CHARS_MAX } from "../../../../src/core/limits/calls.ts";
import { TTS_REQUESTS_PER_CONNECTION_MAX } from "../../../../src/core/limits/tts.ts";
import type { ClosableTts, TtsChunk, TtsRequest } from "../../../../src/speech/contracts.ts";
import { createCartesiaTts } from "../../../../src/speech/tts/providers/cartesia/adapter.ts";
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
  const fullRequest = { text: TEXT, voiceId: VOICE_ID, language: "en-US", ...request };
  for await (const chunk of tts.speak(fullRequest, signal)) chunks.push(chunk);
  const samples = chunks.flatMap((chunk) => [...chunk.samples]);
  return { chunks, samples, words: chunks.flatMap((chunk) => [...chunk.words]), rateHz: chunks[0]?.rateHz };
}

ttsContract("Cartesia", async () => {
  const { tts } = await scene();
  return { tts, voiceId: VOICE_ID, drive: (promise) => promise };
});

describe("requests", () => {
  test("request mu-law at 8,000 Hz for a carrier's leg, and PCM at the leg's own rate, if available, for any other", async () => {
    const { server, tts } = await scene();
    for (const [rateHz, encoding, providedHz] of [
      [8_000, "pcm_mulaw", 8_000],
      [16_000, "pcm_s16le", 16_000],
      [48_000, "pcm_s16le", 48_000],
      [11_025, "pcm_s16le", 24_000],
      [undefined, "pcm_s16le", 24_000],
    ] as const) {
      const { samples, rateHz: resultHz } = await spoken(tts, rateHz === undefined ? {} : { rateHz });
      expect(server.connections[0]?.messages.at(-1)).toEqual({
        model_id: "sonic-3.5",
        transcript: TEXT,
        voice: { mode: "id", id: CARTESIA_VOICE.id },
        language: "en",
        context_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        output_format: { container: "raw", encoding, sample_rate: providedHz },
        add_timestamps: true,
        use_normalized_timestamps: false,
        continue: false,
      });
      expect(resultHz).toBe(providedHz);
      const expected = fakeSpeech(TEXT, providedHz).samples;
      expect(samples).toHaveLength(expected.length);
      const worst = Math.max(...samples.map((sample, index) => Math.abs(sample - (expected[index] as number))));
      expect(worst).toBeLessThanOrEqual(encoding === "pcm_mulaw" ? 300 : 0);
    }
  });

  test.each([
    ["nb-NO", "no"],
    ["fil", "tl"],
    ["de-AT", "de"],
  ])("name %s by Cartesia's own code, %s", async (language, code) => {
    const { server, tts } = await scene();
    await spoken(tts, { language });
    expect(server.connections[0]?.messages.at(-1)).toMatchObject({ language: code });
  });

  test("share a connection, with the API key and the version only in headers", async () => {
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

  test("open another connection if the first one is full", async () => {
    const { server, tts } = await scene();
    await Promise.all(Array.from({ length: TTS_REQUESTS_PER_CONNECTION_MAX + 1 }, () => spoken(tts, { text: "Yes." })));
    expect(server.connections.map(({ messages }) => messages.length)).toEqual([TTS_REQUESTS_PER_CONNECTION_MAX, 1]);
  });

  test("are not sent for a text without anything to speak, a text over the limit or another provider's voice", async () => {
    const { server, tts } = await scene();
    expect((await spoken(tts, { text: " ... — " })).chunks).toEqual([]);
    await expect(spoken(tts, { text: "x".repeat(TURN_TEXT_CHARS_MAX + 1) })).rejects.toThrow("the text is too long");
    await expect(spoken(tts, { voiceId: "espeak/gmw/en" })).rejects.toThrow("no such voice");
    expect(server.connections).toEqual([]);
  });
});

describe("words", () => {
  test("have the provider's timestamps, and their own punctuation", async () => {
    const { tts } = await scene();
    const { words } = await spoken(tts, { rateHz: 8_000 });
    expect(words.map(({ text, startMs, endMs }) => [text, Math.round(startMs), Math.round(endMs)])).toEqual(
      fakeSpeech(TEXT, 8_000).words.map(({ text, startMs, endMs }) => [text, startMs, endMs]),
    );
  });

  test("share the time if there are no timestamps", async () => {
    const { tts } = await scene({ withoutTimes: true });
    const { words, samples } = await spoken(tts, { rateHz: 8_000 });
    expect(words.map(({ text }) => text).join(" ")).toBe(TEXT);
    expect(words.at(-1)?.endMs).toBeCloseTo(samples.length / 8);
  });
});

test("a voice also speaks its model's languages; of an unknown model the languages are unknown", async () => {
  const [current] = await (await scene({ voicePages: [[CARTESIA_VOICE]] })).tts.voices();
  expect(current?.alsoSpeaks).toEqual(expect.arrayContaining(["de", "ja", "nb"]));
  const [older] = await (await scene({ voicePages: [[CARTESIA_VOICE]] }, { model: "sonic-2" })).tts.voices();
  expect([older?.alsoSpeaks, older?.otherLanguagesUnknown]).toEqual([undefined, true]);
});

test("voices of all pages are listed, each with its native language", async () => {
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
      "P16: an API key that is no longer valid",
      { error: { ...ERROR, status_code: 401, error_code: null } },
      "reported an error (401)",
    ],
    ["P8: a handshake that is refused", { fault: { kind: "status", status: 401 } }, "refused with 401"],
    ["P7, P10: a message that is not JSON", { fault: { kind: "message", data: "{" } }, "violated its protocol"],
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
      "P14: bytes that are not samples",
      { fault: { kind: "audio", bytes: noiseBytes(48_000) } },
      "sent noise: the audio is not in the requested format",
    ],
    [
      "P14: 10 min of audio for a few words",
      { chunkMs: 5_000, fault: { kind: "audio", bytes: Buffer.alloc(600 * 48_000) } },
      "sent more audio than its text can take",
    ],
  ])("%s is a failure that quotes neither an API key nor spoken text", async (_what, fake, why) => {
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

  test("P14: audio at another rate than the requested one is a failure, detected by its word timestamps", async () => {
    const { tts } = await scene({ rateHz: 24_000 });
    const text = `${TEXT} `.repeat(8).trim();
    const why = "sent audio whose length does not match its word timestamps: the sample rate is not the requested one";
    await expect(spoken(tts, { text, rateHz: 16_000 })).rejects.toThrow(why);
    expect((await spoken(tts, { text, rateHz: 24_000 })).samples.length).toBeGreaterThan(0);
  });

  test("P10: when a connection closes, all its requests fail, and the next request opens another", async () => {
    const { server, tts } = await scene({ fault: { kind: "hangs", afterChunks: 2 } });
    const failed = Promise.allSettled([spoken(tts), spoken(tts)]);
    await expect.poll(() => server.connections[0]?.messages.length).toBe(2);
    await server.close();
    for (const result of await failed) expect(result).toMatchObject({ reason: { code: "provider_failed" } });
    await expect(spoken(tts)).rejects.toThrow("the connection failed (ECONNREFUSED)");
  });

  test("P12: an abort cancels its context only; later audio of it is dropped, and other requests continue", async () => {
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
    ["P2: no response", { kind: "silent" }],
    ["P4: only pings", { kind: "silent", pings: true }],
  ])("%s: an aborted request closes the connection, and the next one opens another", async (_what, fault) => {
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

  test("unread audio is bounded: a request that is read too slowly fails, and others continue", async () => {
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

  test("close fails the current request and all later ones", async () => {
    const { server, tts } = await scene({ fault: { kind: "hangs", afterChunks: 1 } });
    const speaking = spoken(tts);
    await expect.poll(() => server.connections[0]?.messages.length).toBe(1);
    tts.close();
    await expect(speaking).rejects.toThrow("cartesia: closed");
    await expect(spoken(tts)).rejects.toThrow("cartesia: closed");
    await server.connections[0]?.closed;
  });
});
