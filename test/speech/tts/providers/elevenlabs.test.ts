// @module-tag tts

import { describe, expect, test } from "vitest";
import type { TtsChunk } from "../../../../src/speech/contracts.ts";
import {
  createElevenLabsTts,
  type ElevenLabsOptions,
} from "../../../../src/speech/tts/providers/elevenlabs/adapter.ts";
import { ttsAdapterContract } from "../../../contract/speech/tts-adapter.ts";
import {
  ELEVENLABS_VOICE,
  FakeElevenLabs,
  type FakeElevenLabsOptions,
} from "../../../support/providers/tts/elevenlabs.ts";
import { fakeSpeech, noiseBytes } from "../../../support/providers/tts/fake-speech.ts";
import { expectSpeech, failureOf, TTS_KEY, TTS_TEXT, ttsKit } from "../../../support/providers/tts/tts-kit.ts";
import type { TtsFault } from "../../../support/providers/tts/tts-server.ts";

const VOICE_ID = `elevenlabs/${ELEVENLABS_VOICE.voice_id}`;

const kit = ttsKit<FakeElevenLabsOptions, FakeElevenLabs, ElevenLabsOptions>({
  voiceId: VOICE_ID,
  server: (fake) => new FakeElevenLabs(fake),
  create: (base, settings) => createElevenLabsTts({ ...base, model: "eleven_flash_v2_5", ...settings }),
});
const { scene, spoken } = kit;

ttsAdapterContract("ElevenLabs", {
  kit,
  received: ({ connections }) => connections.filter(({ messages }) => messages.length === 3),
  stalls: [
    ["P2: no response", { kind: "silent" }],
    ["P4: only pings", { kind: "silent", pings: true }],
    ["P3: stops in the middle", { kind: "hangs", afterChunks: 1 }],
  ],
  socket: { withoutTimestamps: { alignment: "none" }, at24kHz: { rateHz: 24_000 } },
});

describe("requests", () => {
  test("request mu-law at 8,000 Hz for a carrier's leg, and PCM at the leg's own rate, if available, for any other", async () => {
    const { server, tts } = await scene();
    for (const [rateHz, format, providedHz] of [
      [8_000, "ulaw_8000", 8_000],
      [16_000, "pcm_16000", 16_000],
      [24_000, "pcm_24000", 24_000],
      [48_000, "pcm_24000", 24_000],
      [undefined, "pcm_24000", 24_000],
    ] as const) {
      const { samples, rateHz: resultHz } = await spoken(tts, rateHz === undefined ? {} : { rateHz });
      const { pathname, searchParams } = new URL(server.connections.at(-1)?.path ?? "", server.url);
      expect(pathname).toBe(`/v1/text-to-speech/${ELEVENLABS_VOICE.voice_id}/stream-input`);
      expect(Object.fromEntries(searchParams)).toEqual({
        model_id: "eleven_flash_v2_5",
        output_format: format,
        sync_alignment: "true",
        auto_mode: "true",
        language_code: "en",
      });
      expect(resultHz).toBe(providedHz);
      expectSpeech(samples, providedHz, format === "ulaw_8000" ? 300 : 0);
    }
  });

  test("have the API key only in a header, and the text between a blank and the end", async () => {
    const { server, tts } = await scene();
    await spoken(tts);
    const [seen] = server.connections;
    expect(seen?.headers["xi-api-key"]).toBe(TTS_KEY);
    expect(seen?.headers["sec-websocket-extensions"]).toBeUndefined();
    expect(seen?.path).not.toContain(TTS_KEY);
    expect(seen?.messages).toEqual([{ text: " " }, { text: `${TTS_TEXT} ` }, { text: "" }]);
  });

  test("have no language for models that detect it from the text", async () => {
    const { server, tts } = await scene({}, { model: "eleven_multilingual_v2" });
    await spoken(tts);
    expect(server.connections[0]?.path).not.toContain("language_code");
  });

  test("have the voice's id in the address, escaped", async () => {
    const { server, tts } = await scene();
    await spoken(tts, { voiceId: "elevenlabs/../x?y" });
    expect(server.connections[0]?.path).toMatch(/^\/v1\/text-to-speech\/..%2Fx%3Fy\/stream-input\?/);
  });
});

describe("words", () => {
  test("come with the first audio if all timestamps do", async () => {
    const { tts } = await scene({ alignment: "first" });
    const { chunks } = await spoken(tts, { rateHz: 8_000 });
    expect(chunks[0]?.words.map(({ text }) => text).join(" ")).toBe(TTS_TEXT);
  });

  test("that are read out differently have the time between the words around them", async () => {
    const text = "It costs $12.50 today.";
    const readOut = () => "It costs twelve dollars fifty today.";
    const { tts } = await scene({ readOut });
    const { words } = await spoken(tts, { text, rateHz: 8_000 });
    const spokenWords = fakeSpeech(readOut(), 8_000).words;
    expect(words.map((word) => word.text).join(" ")).toBe(text);
    expect(words[2]).toMatchObject({ startMs: spokenWords[1]?.endMs, endMs: spokenWords[5]?.startMs });
    expect(words[3]?.startMs).toBe(spokenWords[5]?.startMs);
  });
});

describe("voices", () => {
  test("of all pages are listed with the language they are verified in, else the one of their labels", async () => {
    const labelled = { voice_id: "b", name: "Bea", labels: { language: "de" }, verified_languages: null };
    const other = { language: "fr", model_id: "eleven_multilingual_v2", locale: "fr-FR" };
    const own = { language: "es", model_id: "eleven_flash_v2_5", locale: "es-MX" };
    const verified = { voice_id: "c", name: "Cleo", labels: {}, verified_languages: [other, own] };
    const bare = { voice_id: "d", name: " ", labels: null };
    const pages = [
      [ELEVENLABS_VOICE, labelled],
      [verified, bare, { name: "no id" }, 7],
    ];
    const { server, tts } = await scene({ voicePages: pages });
    expect((await tts.voices()).map(({ alsoSpeaks: _, ...voice }) => voice)).toEqual([
      { id: VOICE_ID, name: "George", language: "en-GB", provider: "elevenlabs" },
      { id: "elevenlabs/b", name: "Bea", language: "de", provider: "elevenlabs" },
      { id: "elevenlabs/c", name: "Cleo", language: "es-MX", provider: "elevenlabs" },
      { id: "elevenlabs/d", name: "d", language: "en", provider: "elevenlabs" },
    ]);
    expect(server.requests.map(({ url }) => url.search)).toEqual([
      "?page_size=100",
      "?page_size=100&next_page_token=1",
    ]);
    expect(server.requests[0]?.headers).toMatchObject({ "xi-api-key": TTS_KEY, "accept-encoding": "identity" });
  });

  test.each([
    ["eleven_flash_v2_5", ["de", "hu", "vi"], ["cy"]],
    ["eleven_multilingual_v2", ["de", "ja"], ["hu", "vi"]],
    ["eleven_v3", ["de", "cy", "sw"], ["yue"]],
    ["eleven_flash_v2", ["en"], ["de"]],
  ])("also speak the languages of %s, and no others", async (model, spoken, unspoken) => {
    const { tts } = await scene({ voicePages: [[{ voice_id: "a", name: "Ann" }]] }, { model });
    const [ann] = await tts.voices();
    expect(ann?.alsoSpeaks).toEqual(expect.arrayContaining(spoken));
    for (const language of unspoken) expect(ann?.alsoSpeaks).not.toContain(language);
    expect(ann?.otherLanguagesUnknown).toBeUndefined();
  });

  test("also speak the languages they are verified in with an unknown model, and perhaps others", async () => {
    const also = ["en", "de", "fr"].map((language) => ({ language, model_id: "eleven_next" }));
    const elsewhere = { language: "sv", model_id: "eleven_v3" };
    const { tts } = await scene(
      { voicePages: [[{ voice_id: "a", name: "Ann", verified_languages: [...also, elsewhere] }]] },
      { model: "eleven_next" },
    );
    const ann = { id: "elevenlabs/a", name: "Ann", language: "en", provider: "elevenlabs" };
    expect(await tts.voices()).toEqual([{ ...ann, alsoSpeaks: ["de", "fr"], otherLanguagesUnknown: true }]);
  });

  test("can be used even if the list fails", async () => {
    const { tts } = await scene({ voicePages: [] });
    await expect(tts.voices()).rejects.toMatchObject({ code: "provider_failed" });
    expect((await spoken(tts)).samples.length).toBeGreaterThan(0);
  });

  test("are not listed by a TTS that is closed", async () => {
    const { tts } = await scene();
    tts.close();
    await expect(tts.voices()).rejects.toMatchObject({ code: "provider_failed" });
  });
});

describe("faults", () => {
  test.each([
    400, 401, 403, 404, 429, 500, 503, 301,
  ])("P8: a handshake that is providedHz with %i is a refusal, and no redirect is followed", async (status) => {
    const headers = { "retry-after": "7", location: "http://127.0.0.1:1/" };
    const { tts } = await scene({ fault: { kind: "status", status, headers } });
    await expect(spoken(tts)).rejects.toMatchObject({
      message: `elevenlabs: refused with ${status}`,
      cause: { status, retryAfterMs: 7_000 },
    });
  });

  test.each<[string, FakeElevenLabsOptions, string]>([
    [
      "P16: a spent quota",
      { fault: message({ message: "what you said stands here", error: "quota_exceeded", code: 1008 }) },
      "reported an error (quota_exceeded)",
    ],
    [
      "P16: an error without a code",
      { fault: message({ message: "x", error: "No: Hello there" }) },
      "reported an error (unnamed)",
    ],
    ["P7, P10: JSON that is not an object", { fault: message("[]") }, "violated its protocol"],
    ["P7, P10: a binary message", { fault: message(Buffer.from("{}")) }, "violated its protocol"],
    ["P10: an extension that was not requested", { fault: { kind: "bad-extension" } }, "the connection failed"],
    ["P14: audio that is a number", { fault: message({ audio: 7 }) }, "sent audio that is not base64"],
    [
      "P14: MP3",
      { fault: { kind: "audio", bytes: Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x64]), noiseBytes(9_000)]) } },
      "sent MP3 instead of samples",
    ],
    [
      "P14: a WAV file",
      { fault: { kind: "audio", bytes: Buffer.from("RIFF\0\0\0\0WAVE") } },
      "sent a WAV file instead of samples",
    ],
  ])("%s is a failure", async (_what, fake, why) => {
    const { tts } = await scene(fake);
    expect(await failureOf(spoken(tts))).toBe(`elevenlabs: ${why}`);
  });

  test.each([
    ["invalid_api_key", 401],
    ["quota_exceeded", 402],
    ["voice_not_found", 404],
    ["max_character_limit_exceeded", 400],
    ["too_many_concurrent_requests", 429],
    ["system_busy", 429],
  ])("P8, P16: %s on the connection is a refusal with %i", async (error, status) => {
    const { tts } = await scene({ fault: message({ message: "x", error, code: 1008 }) });
    await expect(spoken(tts)).rejects.toMatchObject({ cause: { status } });
  });

  test("P5: the audio ends with the final message although the connection stays open, and it is then closed", async () => {
    const { server, tts } = await scene();
    expect((await spoken(tts)).samples.length).toBeGreaterThan(0);
    await server.connections[0]?.closed;
  });

  test("P14: no noise is emitted before it is detected", async () => {
    const { tts } = await scene({ fault: { kind: "audio", bytes: noiseBytes(48_000) } });
    const chunks: TtsChunk[] = [];
    const readAll = async () => {
      const request = { text: TTS_TEXT, voiceId: VOICE_ID, language: "en" };
      for await (const chunk of tts.speak(request, new AbortController().signal)) chunks.push(chunk);
    };
    await expect(readAll()).rejects.toThrow("noise");
    expect(chunks).toEqual([]);
  });

  test("an abort during the connection attempt ends the request", async () => {
    const { tts } = await scene();
    const life = new AbortController();
    const speaking = spoken(tts, {}, life.signal);
    life.abort();
    expect((await speaking).chunks).toEqual([]);
  });

  test("unread audio stays with the provider and arrives when it is read", async () => {
    const seconds = 300;
    const text = "word ".repeat(200);
    const { server, tts } = await scene({
      chunkMs: 1_000,
      fault: { kind: "audio", bytes: Buffer.alloc(seconds * 48_000) },
    });
    const speech = tts.speak({ text, voiceId: VOICE_ID, language: "en" }, new AbortController().signal);
    const chunks = speech[Symbol.asyncIterator]();
    let pulledMs = ((await chunks.next()).value?.samples.length ?? 0) / 24;
    let unreadBytes = Number.NaN;
    await expect
      .poll(() => {
        const before = unreadBytes;
        unreadBytes = server.connections[0]?.unsentBytes() ?? 0;
        return unreadBytes === before;
      })
      .toBe(true);
    expect(unreadBytes).toBeGreaterThan(1_000_000);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      pulledMs += next.value.samples.length / 24;
    }
    expect(pulledMs).toBe(seconds * 1_000);
  });
});

/** A message in place of the provider's own. */
function message(data: string | Buffer | object): TtsFault {
  return { kind: "message", data: typeof data === "string" || Buffer.isBuffer(data) ? data : JSON.stringify(data) };
}
