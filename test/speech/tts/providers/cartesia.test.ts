// @module-tag tts

import { describe, expect, test } from "vitest";
import { TTS_REQUESTS_PER_CONNECTION_MAX } from "../../../../src/core/limits/speech-providers/tts.ts";
import { type CartesiaOptions, createCartesiaTts } from "../../../../src/speech/tts/providers/cartesia/adapter.ts";
import { ttsAdapterContract } from "../../../contract/speech/tts-adapter.ts";
import { CARTESIA_VOICE, FakeCartesia, type FakeCartesiaOptions } from "../../../support/providers/tts/cartesia.ts";
import { expectSpeech, failureOf, TTS_KEY, TTS_TEXT, ttsKit } from "../../../support/providers/tts/tts-kit.ts";

const VOICE_ID = `cartesia/${CARTESIA_VOICE.id}`;

const kit = ttsKit<FakeCartesiaOptions, FakeCartesia, CartesiaOptions>({
  voiceId: VOICE_ID,
  server: (fake) => new FakeCartesia(fake),
  create: (base, settings) => createCartesiaTts({ ...base, model: "sonic-3.5", ...settings }),
});
const { scene, spoken } = kit;

ttsAdapterContract("Cartesia", {
  kit,
  received: ({ connections }) => connections.filter(({ messages }) => messages.length > 0),
  stalls: [
    ["P2: no response", { kind: "silent" }],
    ["P4: only pings", { kind: "silent", pings: true }],
  ],
  socket: { withoutTimestamps: { withoutTimes: true }, at24kHz: { rateHz: 24_000 } },
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
        transcript: TTS_TEXT,
        voice: { mode: "id", id: CARTESIA_VOICE.id },
        language: "en",
        context_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        output_format: { container: "raw", encoding, sample_rate: providedHz },
        add_timestamps: true,
        use_normalized_timestamps: false,
        continue: false,
      });
      expect(resultHz).toBe(providedHz);
      expectSpeech(samples, providedHz, encoding === "pcm_mulaw" ? 300 : 0);
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
      authorization: `Bearer ${TTS_KEY}`,
      "cartesia-version": "2026-03-01",
    });
    expect(JSON.stringify(messages)).not.toContain(TTS_KEY);
    expect(new Set(messages.map(({ context_id }) => context_id)).size).toBe(3);
  });

  test("open another connection if the first one is full", async () => {
    const { server, tts } = await scene();
    await Promise.all(Array.from({ length: TTS_REQUESTS_PER_CONNECTION_MAX + 1 }, () => spoken(tts, { text: "Yes." })));
    expect(server.connections.map(({ messages }) => messages.length)).toEqual([TTS_REQUESTS_PER_CONNECTION_MAX, 1]);
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
    authorization: `Bearer ${TTS_KEY}`,
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
  ])("%s is a failure that quotes neither an API key nor spoken text", async (_what, fake, why) => {
    const { tts } = await scene(fake);
    expect(await failureOf(spoken(tts))).toBe(`cartesia: ${why}`);
  });

  test.each([
    401, 402, 404, 429, 500,
  ])("an error of status %i on the connection is a refusal with it", async (status) => {
    const { tts } = await scene({ error: { ...ERROR, status_code: status, error_code: "some_code" } });
    await expect(spoken(tts)).rejects.toMatchObject({ cause: { status, retryAfterMs: undefined } });
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
    const request = { text: TTS_TEXT.repeat(5), voiceId: VOICE_ID, language: "en" };
    const other = spoken(tts);
    for await (const _ of tts.speak(request, life.signal)) life.abort();
    expect((await other).words.map(({ text }) => text).join(" ")).toBe(TTS_TEXT);
    const cancelled = server.connections[0]?.messages.filter(({ cancel }) => cancel === true) ?? [];
    expect(cancelled).toHaveLength(1);
    await spoken(tts);
    expect(server.connections).toHaveLength(1);
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
});
