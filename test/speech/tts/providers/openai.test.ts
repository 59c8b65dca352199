import { afterEach, describe, expect, test } from "vitest";
import { TURN_TEXT_CHARS_MAX } from "../../../../src/core/limits/calls.ts";
import type { ClosableTts, TtsChunk, TtsRequest } from "../../../../src/speech/contracts.ts";
import {
  createOpenAiTts,
  OPENAI_URL,
  type OpenAiTtsOptions,
} from "../../../../src/speech/tts/providers/openai/adapter.ts";
import { chooseVoice } from "../../../../src/speech/tts/voice-matching.ts";
import { ttsContract } from "../../../contract/speech/tts.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { fakeSpeech, noiseBytes, pcmOf } from "../../../support/providers/tts/fake-speech.ts";
import { FakeOpenAiSpeech, type FakeOpenAiSpeechOptions, wavHead } from "../../../support/providers/tts/openai.ts";
import type { TtsFault } from "../../../support/providers/tts/tts-server.ts";

const KEY = "canary-key";
const VOICE_ID = "openai/alloy";
const TEXT = "Hello there, my friend. How are you today?";

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function scene(fake: FakeOpenAiSpeechOptions = {}, options: Partial<OpenAiTtsOptions> = {}) {
  const server = await new FakeOpenAiSpeech(fake).listen();
  const voices = [{ name: "alloy", language: "en" }];
  const settings = { url: `${server.url}/v1`, apiKey: KEY, model: "gpt-4o-mini-tts", voices, clock: new ManualClock() };
  const tts = createOpenAiTts({ ...settings, ...options });
  opened.push(tts, server);
  return { server, tts };
}

async function spoken(tts: ClosableTts, request: Partial<TtsRequest> = {}, signal = new AbortController().signal) {
  const chunks: TtsChunk[] = [];
  const fullRequest = { text: TEXT, voiceId: VOICE_ID, language: "en-US", ...request };
  for await (const chunk of tts.speak(fullRequest, signal)) chunks.push(chunk);
  return { chunks, samples: chunks.flatMap((chunk) => [...chunk.samples]), rateHz: chunks[0]?.rateHz };
}

ttsContract("an OpenAI-compatible server", async () => {
  const { tts } = await scene();
  return { tts, voiceId: VOICE_ID, drive: (promise) => promise };
});

describe("a request", () => {
  test("is for a WAV file in the voice, with the API key only in a header", async () => {
    const { server, tts } = await scene();
    await spoken(tts);
    const [{ method, url, headers, body } = { method: "", url: undefined, headers: {}, body: "" }] = server.requests;
    expect([method, url?.pathname, url?.search]).toEqual(["POST", "/v1/audio/speech", ""]);
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}`, "accept-encoding": "identity" });
    const expected = { model: "gpt-4o-mini-tts", voice: "alloy", input: TEXT, response_format: "wav" };
    expect(JSON.parse(body)).toEqual(expected);
  });

  test("has no API key if none is configured", async () => {
    const { server, tts } = await scene({}, { apiKey: undefined });
    await spoken(tts);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
  });

  test("is not sent for a text without anything to speak, a text over the limit or another provider's voice", async () => {
    const { server, tts } = await scene();
    expect((await spoken(tts, { text: " ... — " })).chunks).toEqual([]);
    await expect(spoken(tts, { text: "x".repeat(TURN_TEXT_CHARS_MAX + 1) })).rejects.toThrow("the text is too long");
    await expect(spoken(tts, { voiceId: "espeak/gmw/en" })).rejects.toThrow("no such voice");
    expect(server.requests).toEqual([]);
  });
});

describe("audio", () => {
  const list = Buffer.concat([Buffer.from("LIST"), Buffer.from([5, 0, 0, 0]), Buffer.from("hello\0")]);
  const headWithList = (): Buffer => {
    const head = wavHead(16_000, 0xffffffff);
    return Buffer.concat([head.subarray(0, 36), list, head.subarray(36)]);
  };
  test.each<[string, FakeOpenAiSpeechOptions, number]>([
    ["from a file of known length", { format: "wav", rateHz: 22_050 }, 22_050],
    ["without the chunks after the samples", { format: "wav", rateHz: 16_000, tail: list }, 16_000],
    ["from a file that is streamed", { format: "streamed-wav", rateHz: 24_000 }, 24_000],
    ["from a file with other chunks in its header", { head: headWithList(), rateHz: 16_000 }, 16_000],
    ["from raw samples of a server without WAV", { format: "pcm", rateHz: 24_000 }, 24_000],
    [
      "from raw samples that state their rate",
      { format: "pcm", rateHz: 16_000, contentType: "audio/pcm; rate=16000" },
      16_000,
    ],
    [
      "from a file with the content type of raw samples",
      { format: "wav", rateHz: 16_000, contentType: "audio/pcm" },
      16_000,
    ],
    ["from a file byte by byte", { format: "wav", rateHz: 8_000, writeBytes: 1 }, 8_000],
    ["P14: from samples split at odd bytes", { format: "pcm", rateHz: 24_000, writeBytes: 1_001 }, 24_000],
  ])("%s", async (_what, fake, rateHz) => {
    const { tts } = await scene(fake);
    const { samples, rateHz: resultHz } = await spoken(tts, { text: "Hello you." });
    expect(resultHz).toBe(rateHz);
    expect(samples).toEqual([...fakeSpeech("Hello you.", rateHz).samples]);
  });
});

describe("voices", () => {
  test("are the configured ones, each in its language", async () => {
    const voices = [
      { name: "alloy", language: "en-us" },
      { name: "Thorsten", language: "de" },
    ];
    const { server, tts } = await scene({}, { voices });
    expect(await tts.voices()).toEqual([
      { id: "openai/alloy", name: "alloy", language: "en-US", provider: "openai" },
      { id: "openai/Thorsten", name: "Thorsten", language: "de", provider: "openai" },
    ]);
    expect(server.requests).toEqual([]);
  });

  test("are one for each language that a name is configured with, and all use the same name", async () => {
    const voices = ["en", "de", "pt-br"].map((language) => ({ name: "alloy", language }));
    const { server, tts } = await scene({}, { voices });
    const listed = await tts.voices();
    expect(listed.map(({ id, name, language }) => [id, name, language])).toEqual([
      ["openai/alloy", "alloy", "en"],
      ["openai/alloy:de", "alloy", "de"],
      ["openai/alloy:pt-BR", "alloy", "pt-BR"],
    ]);
    for (const { id: voiceId } of listed) await spoken(tts, { voiceId });
    expect(server.requests.map(({ body }) => (JSON.parse(body) as { voice: string }).voice)).toEqual(
      Array(3).fill("alloy"),
    );
    // As a fallback it has a voice for a call of another provider.
    expect(chooseVoice(listed, "elevenlabs/anna", "de-AT")?.id).toBe("openai/alloy:de");
  });

  test("of OpenAI itself also speak other languages, as a fallback", async () => {
    const voices = [{ name: "alloy", language: "en" }];
    const tts = createOpenAiTts({ url: OPENAI_URL, apiKey: KEY, model: "m", voices, clock: new ManualClock() });
    const listed = await tts.voices();
    for (const language of ["de-AT", "nb"]) {
      expect(chooseVoice(listed, "elevenlabs/anna", language)?.id).toBe("openai/alloy");
    }
    expect(chooseVoice(listed, "elevenlabs/anna", "eo")).toBeUndefined();
    tts.close();
  });

  test("are the server's own if none are configured; Kokoro's names contain the language", async () => {
    const fake = { voices: [{ id: "bf_emma", name: "Emma" }, "jf_alpha", { id: "other" }, { name: "no id" }, 7] };
    const { server, tts } = await scene(fake, { voices: [] });
    expect(await tts.voices()).toEqual([
      { id: "openai/bf_emma", name: "Emma", language: "en-GB", provider: "openai" },
      { id: "openai/jf_alpha", name: "jf_alpha", language: "ja", provider: "openai" },
      { id: "openai/other", name: "other", language: "en", provider: "openai", otherLanguagesUnknown: true },
    ]);
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
  });
});

describe("faults", () => {
  test("P1: a server that does not run is reported by the system's error code", async () => {
    const { server, tts } = await scene();
    await server.close();
    await expect(spoken(tts)).rejects.toThrow("openai: the connection failed (ECONNREFUSED)");
  });

  test.each([
    400, 401, 404, 429, 500, 529, 301,
  ])("P8: a response of %i is a refusal, and no redirect is followed", async (status) => {
    const headers = { "retry-after": "0", location: "http://127.0.0.1:1/" };
    const { server, tts } = await scene({ fault: { kind: "status", status, headers } });
    const error: unknown = await spoken(tts).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "provider_failed", message: `openai: refused with ${status}` });
    expect((error as Error).cause).toEqual({ status, retryAfterMs: 0 });
    expect(server.requests).toHaveLength(1);
  });

  test.each<[string, FakeOpenAiSpeechOptions, string]>([
    [
      "P10: an end in the middle",
      { fault: { kind: "closes", afterChunks: 2, code: 0 } },
      "the connection failed (ECONNRESET)",
    ],
    ["P14: no audio at all", { fault: { kind: "audio", bytes: Buffer.alloc(0) } }, "sent no audio"],
    ["P14: nothing at all", { format: "pcm", fault: { kind: "audio", bytes: Buffer.alloc(0) } }, "sent no audio"],
    [
      "P14: MP3 for WAV",
      { head: Buffer.from("ID3"), contentType: "audio/mpeg" },
      "sent something that is not a WAV file",
    ],
    ["P14: MP3 for samples", { format: "pcm", head: Buffer.from("ID3\x04") }, "sent MP3 instead of samples"],
    [
      "P14: a file in two channels",
      { head: wavHead(24_000, 0, { channels: 2 }) },
      "sent a WAV file that is not of 16-bit samples in one channel",
    ],
    [
      "P14: a file of 8 bits",
      { head: wavHead(24_000, 0, { bits: 8 }) },
      "sent a WAV file that is not of 16-bit samples in one channel",
    ],
    [
      "P14: a file with an unsupported rate",
      { head: wavHead(96_000, 0) },
      "sent a WAV file with an unsupported sample rate",
    ],
    [
      "P14: a file without a format",
      { head: Buffer.from("RIFF\0\0\0\0WAVEdata\0\0\0\0", "latin1") },
      "sent a WAV file without a format",
    ],
    [
      "P14: a file that is only a header",
      { head: Buffer.from("RIFF\0\0\0\0WAVELIST\xff\xff\xff\x7f", "latin1") },
      "sent a WAV file without samples",
    ],
    [
      "P14: bytes that are not samples",
      { fault: { kind: "audio", bytes: noiseBytes(48_000) } },
      "sent noise: the audio is not in the requested format",
    ],
    [
      "P14: samples that are shifted by a byte",
      { head: Buffer.concat([wavHead(24_000, 0), Buffer.from([1])]), fault: { kind: "audio", bytes: wide() } },
      "sent noise: the audio is not in the requested format",
    ],
    [
      "P14: 10 min of audio for a few words",
      { fault: { kind: "audio", bytes: Buffer.alloc(600 * 48_000) } },
      "sent more audio than its text can take",
    ],
  ])("%s is a failure", async (_what, fake, why) => {
    const { tts } = await scene(fake);
    await expect(spoken(tts)).rejects.toThrow(`openai: ${why}`);
  });

  test.each<[string, TtsFault]>([
    ["P2: no response", { kind: "silent" }],
    ["P3: stops after its headers", { kind: "hangs", afterChunks: 0 }],
    ["P3: stops in the middle", { kind: "hangs", afterChunks: 1 }],
  ])("%s: an abort ends the request and closes the connection at once", async (_what, fault) => {
    const { server, tts } = await scene({ fault });
    const life = new AbortController();
    const speaking = spoken(tts, {}, life.signal);
    await expect.poll(() => server.requests.length).toBe(1);
    life.abort();
    expect((await speaking).chunks.length).toBeLessThanOrEqual(1);
    await server.requests[0]?.closed;
  });

  test("close fails the current request and all later ones", async () => {
    const { server, tts } = await scene({ fault: { kind: "silent" } });
    const speaking = spoken(tts);
    await expect.poll(() => server.requests.length).toBe(1);
    tts.close();
    await expect(speaking).rejects.toThrow("openai: closed");
    await expect(spoken(tts)).rejects.toThrow("openai: closed");
  });
});

/** Speech whose samples use all of their 16 bits, as real speech does. */
function wide(): Buffer {
  const { samples } = fakeSpeech(TEXT, 24_000);
  const low = noiseBytes(samples.length);
  return pcmOf(samples.map((sample, index) => sample ^ (low[index] as number)));
}
