// @module-tag tts

import { describe, expect, test } from "vitest";
import { OPENAI_ADDRESS } from "../../../../src/speech/server-settings.ts";
import { createOpenAiTts, type OpenAiTtsOptions } from "../../../../src/speech/tts/providers/openai/adapter.ts";
import { chooseVoice } from "../../../../src/speech/tts/voice-matching.ts";
import { ttsAdapterContract } from "../../../contract/speech/tts-adapter.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { fakeSpeech, noiseBytes, pcmOf } from "../../../support/providers/tts/fake-speech.ts";
import { FakeOpenAiSpeech, type FakeOpenAiSpeechOptions, wavHead } from "../../../support/providers/tts/openai.ts";
import { TTS_KEY, TTS_TEXT, ttsKit } from "../../../support/providers/tts/tts-kit.ts";

const kit = ttsKit<FakeOpenAiSpeechOptions, FakeOpenAiSpeech, OpenAiTtsOptions>({
  voiceId: "openai/alloy",
  server: (fake) => new FakeOpenAiSpeech(fake),
  create: ({ url, ...base }, settings) => {
    const voices = [{ name: "alloy", language: "en" }];
    return createOpenAiTts({ ...base, url: `${url}/v1`, model: "gpt-4o-mini-tts", voices, ...settings });
  },
});
const { scene, spoken } = kit;

ttsAdapterContract("an OpenAI-compatible server", {
  kit,
  received: ({ requests }) => requests,
  stalls: [
    ["P2: no response", { kind: "silent" }],
    ["P3: stops after its headers", { kind: "hangs", afterChunks: 0 }],
    ["P3: stops in the middle", { kind: "hangs", afterChunks: 1 }],
  ],
});

describe("a request", () => {
  test("is for a WAV file in the voice, with the API key only in a header", async () => {
    const { server, tts } = await scene();
    await spoken(tts);
    const [{ method, url, headers, body } = { method: "", url: undefined, headers: {}, body: "" }] = server.requests;
    expect([method, url?.pathname, url?.search]).toEqual(["POST", "/v1/audio/speech", ""]);
    expect(headers).toMatchObject({ authorization: `Bearer ${TTS_KEY}`, "accept-encoding": "identity" });
    const expected = { model: "gpt-4o-mini-tts", voice: "alloy", input: TTS_TEXT, response_format: "wav" };
    expect(JSON.parse(body)).toEqual(expected);
  });

  test("has no API key if none is configured", async () => {
    const { server, tts } = await scene({}, { apiKey: undefined });
    await spoken(tts);
    expect(server.requests[0]?.headers.authorization).toBeUndefined();
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
    const tts = createOpenAiTts({ url: OPENAI_ADDRESS, apiKey: TTS_KEY, model: "m", voices, clock: new ManualClock() });
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
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${TTS_KEY}`);
  });
});

describe("faults", () => {
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
      "P14: samples that are shifted by a byte",
      { head: Buffer.concat([wavHead(24_000, 0), Buffer.from([1])]), fault: { kind: "audio", bytes: wide() } },
      "sent noise: the audio is not in the requested format",
    ],
  ])("%s is a failure", async (_what, fake, why) => {
    const { tts } = await scene(fake);
    await expect(spoken(tts)).rejects.toThrow(`openai: ${why}`);
  });
});

/** Speech whose samples use all of their 16 bits, as real speech does. */
function wide(): Buffer {
  const { samples } = fakeSpeech(TTS_TEXT, 24_000);
  const low = noiseBytes(samples.length);
  return pcmOf(samples.map((sample, index) => sample ^ (low[index] as number)));
}
