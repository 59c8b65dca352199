// @module-tag stt

import { describe, expect, test } from "vitest";
import { createDeepgramStt } from "../../../../src/speech/stt/providers/deepgram/adapter.ts";
import { sttContract } from "../../../contract/speech/stt.ts";
import { sttSocketContract } from "../../../contract/speech/stt-socket.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import { fakeDeepgram, results, UTTERANCE_END } from "../../../support/providers/stt/deepgram.ts";
import { eventually, type MakeStt, openOn, STT_KEY, transcriptsAfter } from "../../../support/providers/stt/stt-kit.ts";
import { hum, type SttServerAction, sendMessage } from "../../../support/providers/stt/stt-server.ts";

const make: MakeStt = (url, clock) =>
  createDeepgramStt({ apiKey: STT_KEY, model: "nova-3", url: `${url}v1/listen`, clock });

sttContract("deepgram", async () => {
  const server = await fakeDeepgram({
    steps: [
      { atMs: 120, act: sendMessage(results("Good", [0, 0.12])) },
      { atMs: 300, act: sendMessage(results("Good morning,", [0, 0.3], { final: true })) },
      { atMs: 420, act: sendMessage(results("everybody.", [0.3, 0.42])) },
    ],
    answers: { Finalize: sendMessage(results("everybody.", [0.3, 0.7], { final: true, fromFinalize: true })) },
  });
  const stt = make(`ws://127.0.0.1:${server.port}/`, new ManualClock());
  const audio = hum(8_000, 500, 400);
  return { stt, rateHz: 8_000, audio, text: "Good morning, everybody.", play: settled };
});

sttSocketContract({ name: "deepgram", make, goodbye: '{"type":"CloseStream"}' });

const transcriptsOf = (greeting: SttServerAction, finals?: number) =>
  transcriptsAfter(greeting, fakeDeepgram, make, finals);

describe("Deepgram STT", () => {
  test("names its audio format in the query, and sends its API key only in a header", async () => {
    const server = await fakeDeepgram();
    openOn(server, make, { rateHz: 16_000, language: "en-GB" });
    await eventually(() => server.seen.length).toBe(1);
    expect(Object.fromEntries(server.last?.query ?? [])).toEqual({
      model: "nova-3",
      language: "multi",
      language_hint: "en-GB",
      encoding: "linear16",
      sample_rate: "16000",
      channels: "1",
      punctuate: "true",
      interim_results: "true",
      endpointing: "300",
      utterance_end_ms: "1000",
    });
    expect(server.last?.headers.authorization).toBe(`Token ${STT_KEY}`);
  });

  test.each([
    ["is pinned to its language", { language: "de-DE", languagePinned: true }, "nova-3", "de"],
    ["has a language that the model does not detect", { language: "zh-TW" }, "nova-3", "zh-TW"],
    ["has a language that the model does not detect", { language: "pa" }, "nova-3", "pa"],
    ["is transcribed by a model for two languages", { language: "de" }, "nova-2", "de"],
  ])("sends the language where the call %s", async (_what, options, model, code) => {
    const server = await fakeDeepgram();
    const ofModel: MakeStt = (url, clock) =>
      createDeepgramStt({ apiKey: STT_KEY, model, url: `${url}v1/listen`, clock });
    openOn(server, ofModel, options);
    await eventually(() => server.last?.query.get("language")).toBe(code);
    expect(server.last?.query.has("language_hint")).toBe(false);
  });

  test("detects the languages of the multilingual model, and needs no new stream on a change between them", () => {
    const stt = (model: string, query = "") =>
      createDeepgramStt({ apiKey: "a", model, url: `ws://127.0.0.1:1/v1/listen${query}`, clock: new ManualClock() });
    const { detectsLanguage, anyLanguage } = stt("nova-3").capabilities;
    expect(["en-US", "de-AT", "nb", "fil", "yue", "zh"].map((language) => detectsLanguage?.(language))).toEqual(
      Array(6).fill(true),
    );
    expect(["zh-TW", "pa", "hy"].map((language) => detectsLanguage?.(language))).toEqual([false, false, false]);
    expect([anyLanguage, stt("nova-2").capabilities.detectsLanguage?.("en")]).toEqual([false, false]);
    expect(stt("nova-3", "?language=de").capabilities.anyLanguage).toBe(true);
    expect(stt("nova-3", "?model=nova-2").capabilities.detectsLanguage?.("en")).toBe(false);
  });

  test("sends the language without the region where Deepgram does not support the region", async () => {
    const server = await fakeDeepgram();
    openOn(server, make, { language: "de-AT", languagePinned: true });
    await eventually(() => server.last?.query.get("language")).toBe("de");
  });

  test.each([
    ["nb", "no"],
    ["nb-NO", "no"],
    ["fil-PH", "tl"],
    ["yue", "zh-HK"],
    ["zh-HK", "zh-HK"],
    ["zh-SG", "zh"],
  ])("requests %s by Deepgram's own code, %s", async (language, code) => {
    const server = await fakeDeepgram();
    openOn(server, make, { language, languagePinned: true });
    await eventually(() => server.last?.query.get("language")).toBe(code);
  });

  test("gives parameters of the configured address precedence over its own", async () => {
    const server = await fakeDeepgram();
    const multilingual: MakeStt = (url, clock) =>
      createDeepgramStt({
        apiKey: STT_KEY,
        model: "nova-3",
        url: `${url}v1/listen?language=multi&mip_opt_out=true`,
        clock,
      });
    openOn(server, multilingual);
    await eventually(() => server.last?.query.getAll("language")).toEqual(["multi"]);
    expect(server.last?.query.get("mip_opt_out")).toBe("true");
    expect(server.last?.query.has("language_hint")).toBe(false);
  });

  test("requests a final when speech ends, after all of its audio", async () => {
    const server = await fakeDeepgram();
    const { sendAudio } = openOn(server, make);
    sendAudio(500, 180);
    await eventually(() => server.last?.audio.length).toBe(680 * 16);
    expect(server.last?.texts).toEqual([]);
    sendAudio(0, 20);
    await eventually(() => server.last?.texts).toEqual(['{"type":"Finalize"}']);
    expect(server.last?.audio.length).toBe(700 * 16);
  });

  test("sends audio in messages of 40 ms", async () => {
    const server = await fakeDeepgram();
    const { sendAudio } = openOn(server, make);
    sendAudio(100, 0);
    await eventually(() => server.last?.audio.length).toBe(80 * 16);
    expect(server.last?.messages.length).toBe(2);
  });

  test("keeps only an idle stream open with keep-alive messages", async () => {
    const server = await fakeDeepgram();
    const { sendAudio, clock } = openOn(server, make);
    await eventually(() => server.seen.length).toBe(1);
    sendAudio(40, 0);
    await eventually(() => server.last?.messages.length).toBe(1);
    clock.advance(3_900);
    sendAudio(40, 0);
    clock.advance(100);
    await eventually(() => server.last?.messages.length).toBe(2);
    expect(server.last?.texts).toEqual([]);
    clock.advance(4_000);
    await eventually(() => server.last?.texts).toEqual(['{"type":"KeepAlive"}']);
    clock.advance(4_000);
    await eventually(() => server.last?.texts.length).toBe(2);
  });

  test("emits an utterance of several parts as one", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        results("I would", [0, 1]),
        results("I would like", [0, 3], { final: true }),
        results("", [3, 3.2]),
        results("two cakes", [3, 4]),
        results("two cakes.", [3, 4.4], { final: true, speechFinal: true }),
      ),
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "I would" },
      { kind: "interim", text: "I would like" },
      { kind: "interim", text: "I would like two cakes" },
      { kind: "final", text: "I would like two cakes." },
    ]);
  });

  test("P11: emits an utterance once, despite duplicate, late or empty results", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        results("", [0, 0.5], { final: true, speechFinal: true }),
        results("two cakes", [0.5, 1]),
        results("two cakes.", [0.5, 2], { final: true }),
        results("two cakes.", [0.5, 2], { final: true }),
        results("two", [0.5, 0.9]),
        results("", [2, 2], { final: true, fromFinalize: true }),
        results("two cakes.", [0.5, 2], { final: true, speechFinal: true }),
        UTTERANCE_END,
        results("Thanks.", [2, 3], { final: true, speechFinal: true }),
      ),
      2,
    );
    expect(transcripts.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "interim two cakes",
      "interim two cakes.",
      "final two cakes.",
      "final Thanks.",
    ]);
  });

  test("P11: emits no control characters, and bounds the length of a transcript", async () => {
    const [final] = await transcriptsOf(
      sendMessage(results(" two\u0000\u001b[31m\n cakes ", [0, 1], { final: true, speechFinal: true })),
    );
    expect(final).toEqual({ kind: "final", text: "two [31m cakes" });
    const [long] = await transcriptsOf(sendMessage(results("word ".repeat(4_000), [0, 1], { final: true })));
    expect(long?.text.length).toBeLessThanOrEqual(16_384);
  });

  test("reports the accepted stream, and emits an empty final for a request without words", async () => {
    const server = await fakeDeepgram({
      answers: { Finalize: sendMessage(results("", [0, 0.5], { final: true, fromFinalize: true })) },
    });
    const { transcripts, opened, sendAudio } = openOn(server, make);
    await eventually(() => opened.times).toBe(1);
    sendAudio(500, 400);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "" }]);
  });

  test("withdraws interim words with an empty final", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(results("uh", [0, 0.5]), results("", [0, 1], { final: true, speechFinal: true })),
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "uh" },
      { kind: "final", text: "" },
    ]);
  });

  test("ends the utterance at a gap between words where noise hides every pause", async () => {
    const transcripts = await transcriptsOf(sendMessage(results("two cakes.", [0, 2], { final: true }), UTTERANCE_END));
    expect(transcripts.at(-1)).toEqual({ kind: "final", text: "two cakes." });
  });

  test("reports the detected language by the call's own tag, and none where two were detected", async () => {
    const final = { final: true, speechFinal: true };
    const transcripts = (languages: string[]) =>
      transcriptsOf(sendMessage(results("Genau.", [0, 1], { ...final, languages })));
    expect((await transcripts(["de"])).at(-1)).toEqual({ kind: "final", text: "Genau.", language: "de" });
    expect((await transcripts(["en"])).at(-1)).toEqual({ kind: "final", text: "Genau.", language: "en-US" });
    expect((await transcripts(["en", "de"])).at(-1)).toEqual({ kind: "final", text: "Genau." });
  });

  test("fails with Deepgram's close code, and quotes nothing else", async () => {
    const server = await fakeDeepgram({ greeting: (socket) => socket.close(1011, "NET-0001: my secret words") });
    const { ended } = openOn(server, make);
    await expect(ended).rejects.toThrow(/^deepgram: closed the stream with 1011 \(NET-0001\)$/);
  });

  test.each([
    ["an error", { type: "Error", description: "my secret words", message: "", variant: "" }, /reported an error$/],
    ["results without a channel", { type: "Results", start: 0, duration: 1 }, /malformed results$/],
    [
      "results with a number as transcript",
      { ...results("", [0, 1]), channel: { alternatives: [{ transcript: 1 }] } },
      /malformed results$/,
    ],
    ["results without a number as start", { ...results("", [0, 1]), start: "0" }, /malformed results$/],
  ])("P7: %s fails the stream", async (_name, message, expected) => {
    const server = await fakeDeepgram({ greeting: sendMessage(message) });
    const { ended } = openOn(server, make);
    await expect(ended).rejects.toThrow(expected);
  });

  test("ignores unknown messages", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        { type: "Metadata" },
        { type: "SpeechStarted" },
        {},
        results("Yes.", [0, 1], { final: true, speechFinal: true }),
      ),
    );
    expect(transcripts).toEqual([{ kind: "final", text: "Yes." }]);
  });
});
