// @module-tag stt

import { gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { STT_ANSWER_BYTES_MAX } from "../../../../src/core/limits/speech-providers/stt.ts";
import { DEFAULT_SEGMENTATION, SPEECH_PREROLL_MS } from "../../../../src/media/voice-activity/segmentation.ts";
import { createOpenAiStt, type OpenAiSttOptions } from "../../../../src/speech/stt/providers/openai/adapter.ts";
import { sttContract } from "../../../contract/speech/stt.ts";
import { settled } from "../../../support/manual-clock.ts";
import { eventually, openStt, STT_KEY } from "../../../support/providers/stt/stt-kit.ts";
import { framesOf, hum } from "../../../support/providers/stt/stt-server.ts";
import {
  type Answer,
  respondWith,
  TranscriptionServer,
  transcribed,
} from "../../../support/providers/stt/transcription-server.ts";

const RATE_HZ = 16_000;
/** The pause that ends an utterance. */
const HANGOVER_MS = DEFAULT_SEGMENTATION.hangoverMs;

const sttOf = (url: string, options: Partial<OpenAiSttOptions> = {}) =>
  createOpenAiStt({ apiKey: STT_KEY, model: "whisper-1", languageDetection: false, ...options, url });

sttContract("openai", async () => {
  const server = await TranscriptionServer.listen(transcribed(" Good morning. "));
  return {
    stt: sttOf(server.url),
    rateHz: RATE_HZ,
    audio: hum(RATE_HZ, 500, 500),
    text: "Good morning.",
    play: settled,
  };
});

/** A call with the STT of a server that sends these responses. */
async function call(...answers: readonly Answer[]) {
  return callIn("de-AT", ...answers);
}

async function callIn(language: string, ...answers: readonly Answer[]) {
  return callOf({}, { language }, ...answers);
}

async function callOf(
  stt: Partial<OpenAiSttOptions>,
  { language = "de-AT", languagePinned = false },
  ...answers: readonly Answer[]
) {
  const server = await TranscriptionServer.listen(...answers);
  onTestFinished(() => server.close());
  const stream = openStt(sttOf(server.url, stt), { language, languagePinned, rateHz: RATE_HZ });
  return { server, ...stream, texts: () => stream.transcripts.map(({ text }) => text) };
}

const afterwards: Answer = () => {};

describe("a requested interim", () => {
  /** Answers when it is released. */
  function held(): { answer: Answer; release: (text: string) => void } {
    let waiting: Parameters<Answer>[0] | undefined;
    return {
      answer: (response) => {
        waiting = response;
      },
      release: (text) => transcribed(text)(waiting as Parameters<Answer>[0]),
    };
  }

  test("is a transcript of the speech so far; the utterance goes on, and its final covers all of it", async () => {
    const { server, stream, sendAudio, transcripts } = await call(transcribed("Zwei"), transcribed("Zwei Torten."));
    sendAudio(500, 0);
    stream.requestInterim?.();
    await eventually(() => transcripts).toEqual([{ kind: "interim", text: "Zwei" }]);
    sendAudio(500, 1_000);
    await eventually(() => transcripts.at(-1)).toEqual({ kind: "final", text: "Zwei Torten." });
    const [interim, final] = server.seen.map(({ file }) => (file.bytes.length - 44) / 32);
    expect(interim).toBe(500);
    expect(final).toBeGreaterThan(1_000);
    expect(stream.sentAudioMs).toBe((interim ?? 0) + (final ?? 0));
  });

  test("of sounds without words is empty, and so is one where there is no speech, which is not sent", async () => {
    const { server, stream, sendAudio, transcripts } = await call(transcribed("[BLANK_AUDIO]"));
    sendAudio(0, 500);
    stream.requestInterim?.();
    await eventually(() => transcripts).toEqual([{ kind: "interim", text: "" }]);
    expect(server.seen).toHaveLength(0);
    sendAudio(500, 0);
    stream.requestInterim?.();
    await eventually(() => transcripts).toEqual(Array(2).fill({ kind: "interim", text: "" }));
  });

  test("is sent one at a time, and not while a final is pending", async () => {
    const first = held();
    const { server, stream, sendAudio, transcripts } = await call(first.answer, transcribed("Ja."));
    sendAudio(500, 0);
    stream.requestInterim?.();
    stream.requestInterim?.();
    await eventually(() => server.seen).toHaveLength(1);
    first.release("Ja");
    await eventually(() => transcripts).toEqual([{ kind: "interim", text: "Ja" }]);
    sendAudio(0, 400);
    stream.requestInterim?.();
    await eventually(() => transcripts).toHaveLength(2);
    expect(server.seen).toHaveLength(2);
  });

  test("that is slower than the final of its utterance is dropped", async () => {
    const interim = held();
    const { server, stream, sendAudio, transcripts } = await call(interim.answer, transcribed("Ja."));
    sendAudio(500, 0);
    stream.requestInterim?.();
    await eventually(() => server.seen).toHaveLength(1);
    sendAudio(0, 400);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Ja." }]);
    interim.release("Ja");
    await eventually(() => server.seen).toHaveLength(2);
    for (let turn = 0; turn < 20; turn += 1) await settled();
    expect(transcripts).toHaveLength(1);
  });

  test("that fails is no failure of the stream: the final decides", async () => {
    const { stream, server, sendAudio, transcripts } = await call(
      (response) => response.writeHead(429).end(),
      transcribed("Ja."),
    );
    sendAudio(500, 0);
    stream.requestInterim?.();
    await eventually(() => server.seen).toHaveLength(1);
    sendAudio(0, 400);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Ja." }]);
  });
});

describe("STT of an OpenAI-compatible server", () => {
  test("sends an utterance as a WAV file, with its preroll and the pause that ended it", async () => {
    const { server, sendAudio, transcripts } = await call(transcribed("Zwei Torten."));
    sendAudio(0, 1_000);
    sendAudio(500, HANGOVER_MS);
    sendAudio(0, 1_000);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Zwei Torten." }]);
    const [seen] = server.seen;
    expect(seen?.path).toBe("/v1/audio/transcriptions");
    expect(seen?.headers.authorization).toBe(`Bearer ${STT_KEY}`);
    expect(seen?.fields).toEqual({ model: "whisper-1", language: "de", response_format: "json" });
    expect([seen?.file.name, seen?.file.type]).toEqual(["utterance.wav", "audio/wav"]);
    const file = seen?.file.bytes ?? Buffer.alloc(0);
    expect(file.toString("latin1", 0, 4) + file.toString("latin1", 8, 16)).toBe("RIFFWAVEfmt ");
    expect([file.readUInt32LE(24), file.readUInt16LE(22), file.readUInt16LE(34)]).toEqual([RATE_HZ, 1, 16]);
    expect(file.readUInt32LE(40)).toBe(file.length - 44);
    // Speech is detected with its third voiced frame; the two before it are part of the preroll.
    expect((file.length - 44) / 32).toBe(SPEECH_PREROLL_MS + 20 + 480 - 20 + HANGOVER_MS - 20);
  });

  test.each([
    ["nb-NO", "no"],
    ["fil", "tl"],
    ["eo", undefined],
    ["yue", undefined],
  ])("names %s as %s, and omits unsupported languages", async (language, named) => {
    const { server, sendAudio } = await callIn(language, transcribed("Ja."));
    sendAudio(500, 500);
    await eventually(() => server.seen.length).toBe(1);
    expect(server.seen[0]?.fields.language).toBe(named);
  });

  test.each([
    ["gpt-transcribe", { model: "gpt-transcribe" }, { text: "Buenas.", languages: [{ code: "es" }] }, "es"],
    [
      "gpt-transcribe, two languages",
      { model: "gpt-transcribe" },
      { text: "Buenas.", languages: [{ code: "es" }, { code: "en" }] },
      undefined,
    ],
    ["gpt-transcribe, uncertain", { model: "gpt-transcribe" }, { text: "Buenas.", languages: [] }, undefined],
    [
      "gpt-transcribe, the call's own language",
      { model: "gpt-transcribe" },
      { text: "Servus.", languages: [{ code: "de" }] },
      "de-AT",
    ],
    ["whisper-1, by a name", {}, { text: "God dag.", language: "norwegian" }, "nb"],
    ["whisper-1, by a name with a capital", {}, { text: "Kia ora.", language: "Maori" }, "mi"],
    ["a self-hosted server, by a code", { model: "small" }, { text: "Buenas.", language: "es" }, "es"],
    ["a server that reports none", { model: "small" }, { text: "Buenas." }, undefined],
    [
      "a server that reports nonsense",
      { model: "small" },
      { text: "Buenas.", language: 7, languages: "es" },
      undefined,
    ],
    ["a server that names no language", { model: "small" }, { text: "Buenas.", language: "gibberish" }, undefined],
  ])("detects the language where this is enabled: %s", async (_what, options, answer, expected) => {
    const stt = { languageDetection: true, ...options };
    const { server, sendAudio, transcripts } = await callOf(stt, {}, respondWith(answer));
    sendAudio(500, 500);
    await eventually(() => transcripts.length).toBe(1);
    expect(transcripts[0]?.language).toBe(expected);
    const { model } = { model: "whisper-1", ...options };
    const format = model === "gpt-transcribe" ? {} : { response_format: "verbose_json" };
    expect(server.seen[0]?.fields).toEqual({ model, ...format });
  });

  test.each([
    ["gpt-transcribe", { model: "gpt-transcribe", "languages[]": "de" }],
    ["whisper-1", { model: "whisper-1", language: "de", response_format: "json" }],
  ])("names the language of a call that is pinned to it, and reports none: %s", async (model, fields) => {
    const expected = respondWith({ text: "Buenas.", language: "spanish", languages: [{ code: "es" }] });
    const stt = { model, languageDetection: true };
    const { server, sendAudio, transcripts } = await callOf(stt, { languagePinned: true }, expected);
    sendAudio(500, 500);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Buenas." }]);
    expect(server.seen[0]?.fields).toEqual(fields);
  });

  test("P11: reports no language for sounds without words", async () => {
    const silent = respondWith({ text: "[BLANK_AUDIO]", language: "english" });
    const { sendAudio, transcripts } = await callOf({ languageDetection: true }, {}, silent);
    sendAudio(500, 500);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "" }]);
  });

  test("sends no API key where none is configured", async () => {
    const { server, sendAudio } = await callOf({ apiKey: undefined }, {}, transcribed("Yes."));
    sendAudio(500, 500);
    await eventually(() => server.seen.length).toBe(1);
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
  });

  test("sends no request for silence, for clicks, and without the VAD's decisions", async () => {
    const { server, sendAudio, stream } = await call(transcribed("Yes."));
    sendAudio(40, 2_000);
    for (const [frame] of framesOf(hum(RATE_HZ, 1_000, 500), RATE_HZ)) stream.write(frame);
    sendAudio(500, 500);
    await eventually(() => server.seen.length).toBe(1);
  });

  test("ends an utterance without a pause after 30 s", async () => {
    const { server, sendAudio, texts } = await call(transcribed("And so"), transcribed("on."));
    sendAudio(31_000, 500);
    await eventually(texts).toEqual(["And so", "on."]);
    expect(server.seen.map(({ file }) => (file.bytes.length - 44) / 32)).toEqual([30_000, 1_300]);
  });

  test("sends one utterance at a time, and emits the transcripts in order", async () => {
    const held: (() => void)[] = [];
    const later: Answer = (response) => held.push(() => transcribed("One.")(response));
    const { server, sendAudio, texts } = await call(later, transcribed("Two."));
    sendAudio(500, 500);
    sendAudio(500, 500);
    await eventually(() => held.length).toBe(1);
    await settled();
    expect(server.seen).toHaveLength(1);
    held[0]?.();
    await eventually(texts).toEqual(["One.", "Two."]);
  });

  test("P11: emits an empty final where there were no words", async () => {
    const { server, sendAudio, texts } = await call(
      transcribed(" \n"),
      transcribed("[BLANK_AUDIO]"),
      transcribed("(wind) [noise]"),
      transcribed("(A) yes"),
    );
    for (let n = 0; n < 4; n += 1) sendAudio(500, 500);
    // An empty final shows that the utterance was processed.
    await eventually(texts).toEqual(["", "", "", "(A) yes"]);
    expect(server.seen).toHaveLength(4);
  });

  test("the end of a call aborts the running request", async () => {
    const { server, abortController, sendAudio, ended } = await call(afterwards);
    sendAudio(500, 500);
    await eventually(() => server.seen.length).toBe(1);
    abortController.abort();
    await ended;
    await eventually(() => server.cancelled).toBe(1);
  });

  test("P2: a server that never responds is waited for until too much audio is pending", async () => {
    const { sendAudio, ended } = await call(afterwards);
    sendAudio(30_000, 500);
    sendAudio(30_000, 500);
    await expect(ended).rejects.toThrow(/slower than real time/);
  });

  const status =
    (code: number, headers: Record<string, string> = {}): Answer =>
    (response) =>
      response.writeHead(code, headers).end(JSON.stringify({ error: { message: `${STT_KEY} my secret words` } }));
  const packed: Answer = (response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(4 * STT_ANSWER_BYTES_MAX, " ")));
  const packedOften: Answer = (response) =>
    response.writeHead(200, { "content-encoding": Array.from({ length: 1_000 }, () => "gzip").join(", ") }).end("{}");
  const text =
    (body: string): Answer =>
    (response) =>
      response.writeHead(200, { "content-type": "application/json" }).end(body);

  test.each<[string, Answer, RegExp]>([
    ["P8: a response of 400", status(400), /status 400$/],
    ["P16: a response of 401", status(401), /status 401$/],
    ["P8: a response of 429", status(429, { "retry-after": "0" }), /status 429$/],
    ["P8: a response of 500", status(500), /status 500$/],
    ["P8: a redirect to a private address", status(301, { location: "http://127.0.0.1:1/" }), /status 301$/],
    ["P9: a compressed response", packed, /sent an encoded response$/],
    ["P9: a response compressed a thousand times", packedOften, /sent an encoded response$|request failed/],
    ["P7: no JSON", text("my secret words"), /no transcription$/],
    ["P7: no text in it", text('{"text":null}'), /no transcription$/],
    ["P11: 1 MB of text", text(JSON.stringify({ text: "word ".repeat(200_000) })), /too long for a transcription$/],
    [
      "P3: a response that breaks off",
      (response) => response.writeHead(200).write('{"text":', () => response.destroy()),
      /request failed/,
    ],
  ])("%s fails the stream, and is not retried", async (_name, answer, expected) => {
    const { server, sendAudio, ended, stream } = await call(answer);
    sendAudio(500, 500);
    const error = await ended.catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "provider_failed" });
    // A refusal's error has its status and retry delay; other errors quote nothing.
    const refused = /status (\d+)$/.exec((error as Error).message)?.[1];
    expect((error as Error).cause).toEqual(
      refused === undefined ? undefined : expect.objectContaining({ status: Number(refused) }),
    );
    expect((error as Error).message).toMatch(expected);
    expect((error as Error).message).not.toMatch(/key|words/);
    sendAudio(500, 500);
    expect(() => stream.write(new Int16Array(320))).not.toThrow();
    await settled();
    expect(server.seen).toHaveLength(1);
  });

  test("P1: a refused connection fails the stream", async () => {
    const server = await TranscriptionServer.listen();
    const { url } = server;
    server.close();
    const { ended, sendAudio } = openStt(sttOf(url), { rateHz: RATE_HZ });
    sendAudio(500, 500);
    await expect(ended).rejects.toThrow(/ECONNREFUSED/);
  });
});
