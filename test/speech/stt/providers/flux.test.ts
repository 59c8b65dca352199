// @module-tag stt

import { describe, expect, test } from "vitest";
import { STT_UTTERANCE_TRANSCRIPT_MS_MAX } from "../../../../src/core/limits/speech-providers/stt.ts";
import { createFluxStt } from "../../../../src/speech/stt/providers/flux/adapter.ts";
import { fluxLanguages } from "../../../../src/speech/stt/providers/flux/languages.ts";
import { sttContract } from "../../../contract/speech/stt.ts";
import { sttSocketContract } from "../../../contract/speech/stt-socket.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import { fakeFlux, NO_ACTIVE_TURN, turnInfo } from "../../../support/providers/stt/flux.ts";
import {
  eventually,
  type MakeStt,
  openOn,
  openWithFailover,
  STT_KEY,
  transcriptsAfter,
} from "../../../support/providers/stt/stt-kit.ts";
import { hum, SttServer, type SttServerAction, sendMessage } from "../../../support/providers/stt/stt-server.ts";

const sttFactory =
  (model: string, query = "", endsTurnsOnRequest = true): MakeStt =>
  (url, clock) =>
    createFluxStt({ apiKey: STT_KEY, model, url: `${url}v2/listen${query}`, endsTurnsOnRequest, clock });

const make = sttFactory("flux-general-multi");
const FORCE_END_TURN = '{"type":"ForceEndTurn"}';

sttContract("flux", async () => {
  const server = await fakeFlux({
    steps: [
      { atMs: 160, act: sendMessage(turnInfo("StartOfTurn", "Good", 0.01)) },
      { atMs: 400, act: sendMessage(turnInfo("Update", "Good morning", 0.02)) },
      { atMs: 560, act: sendMessage(turnInfo("EagerEndOfTurn", "Good morning everybody", 0.45)) },
      { atMs: 720, act: sendMessage(turnInfo("EndOfTurn", "Good morning everybody", 0.8)) },
    ],
  });
  const stt = make(`ws://127.0.0.1:${server.port}/`, new ManualClock());
  return { stt, rateHz: 8_000, audio: hum(8_000, 500, 400), text: "Good morning everybody", play: settled };
});

sttSocketContract({ name: "flux", make, goodbye: '{"type":"CloseStream"}' });

const transcriptsOf = (greeting: SttServerAction, finals?: number) =>
  transcriptsAfter(greeting, fakeFlux, make, finals);

describe("Deepgram Flux STT", () => {
  test("names its audio format and its thresholds in the query, and sends its API key only in a header", async () => {
    const server = await fakeFlux();
    openOn(server, make, { rateHz: 16_000, language: "de-AT" });
    await eventually(() => server.seen.length).toBe(1);
    expect(Object.fromEntries(server.last?.query ?? [])).toEqual({
      model: "flux-general-multi",
      language_hint: "de",
      encoding: "linear16",
      sample_rate: "16000",
      eager_eot_threshold: "0.4",
      eot_timeout_ms: "1000",
    });
    expect(server.last?.headers.authorization).toBe(`Token ${STT_KEY}`);
  });

  test.each([
    ["of the English model, which refuses one", "flux-general-en", "en-US"],
    ["of a language that the model does not know", "flux-general-multi", "ko"],
  ])("sends no hint %s", async (_what, model, language) => {
    const server = await fakeFlux();
    openOn(server, sttFactory(model), { language });
    await eventually(() => server.last?.query.get("model")).toBe(model);
    expect(server.last?.query.has("language_hint")).toBe(false);
  });

  test("gives parameters of the configured address precedence over its own", async () => {
    const server = await fakeFlux();
    openOn(server, sttFactory("flux-general-multi", "?model=flux-general-en&eot_threshold=0.8&eot_timeout_ms=3000"));
    await eventually(() => server.last?.query.getAll("model")).toEqual(["flux-general-en"]);
    expect(server.last?.query.get("eot_threshold")).toBe("0.8");
    expect(server.last?.query.getAll("eot_timeout_ms")).toEqual(["3000"]);
    expect(server.last?.query.has("language_hint")).toBe(false);
  });

  test("detects the languages of the multilingual model, and none with the English one", () => {
    const detects = (model: string, language: string, query = "") =>
      sttFactory(model, query)("ws://127.0.0.1:1/", new ManualClock()).capabilities.detectsLanguage?.(language);
    expect(["en-US", "pt-BR", "hi"].map((language) => detects("flux-general-multi", language))).toEqual(
      Array(3).fill(true),
    );
    expect(detects("flux-general-multi", "ko")).toBe(false);
    expect(detects("flux-general-en", "en")).toBe(false);
    expect(detects("flux-general-multi", "de", "?model=flux-general-en")).toBe(false);
    expect([fluxLanguages("flux-general-en"), fluxLanguages("flux-general-multi").length]).toEqual([["en"], 10]);
  });

  test("reports the stream as opened when Flux says so", async () => {
    const [says, isSilent] = [await fakeFlux(), await SttServer.listen()];
    const [opened, silent] = [openOn(says, make), openOn(isSilent, make)];
    await eventually(() => [opened.opened.times, isSilent.seen.length]).toEqual([1, 1]);
    expect(silent.opened.times).toBe(0);
  });

  test("sends audio in messages of 80 ms", async () => {
    const server = await fakeFlux();
    openOn(server, make).sendAudio(480, 0);
    await eventually(() => server.last?.messages).toEqual(Array(6).fill(1_280));
  });

  test("emits a turn that grows, with how sure Flux is of its end, and its final once", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        turnInfo("StartOfTurn", "", 0),
        turnInfo("Update", "Two", 0.01),
        turnInfo("Update", "Two cakes", 0.034),
        turnInfo("Update", "Two cakes", 0.04),
        turnInfo("EagerEndOfTurn", "Two cakes", 0.41),
        turnInfo("TurnResumed", "Two cakes", 0.1),
        turnInfo("Update", "Two cakes please.", 0.3),
        turnInfo("EndOfTurn", "Two cakes please.", 0.823),
        turnInfo("EndOfTurn", "Two cakes please.", 0.9),
        turnInfo("Update", "Two cakes please.", 0.9),
        turnInfo("Update", "Thanks.", 0.2, { index: 1 }),
        turnInfo("EndOfTurn", "Thanks.", 0.71, { index: 1 }),
      ),
      2,
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "Two", endOfTurn: 0.01 },
      { kind: "interim", text: "Two cakes", endOfTurn: 0.03 },
      { kind: "interim", text: "Two cakes", endOfTurn: 0.41 },
      { kind: "interim", text: "Two cakes", endOfTurn: 0.1 },
      { kind: "interim", text: "Two cakes please.", endOfTurn: 0.3 },
      { kind: "final", text: "Two cakes please.", endOfTurn: 0.82 },
      { kind: "interim", text: "Thanks.", endOfTurn: 0.2 },
      { kind: "final", text: "Thanks.", endOfTurn: 0.71 },
    ]);
  });

  test("asks for the end of a turn that Flux leaves open for 500 ms, after all of its audio", async () => {
    const server = await fakeFlux({
      steps: [{ atMs: 400, act: sendMessage(turnInfo("Update", "My number is", 0.02)) }],
      answers: { ForceEndTurn: sendMessage(turnInfo("EndOfTurn", "My number is", 0.07, { trigger: "manual" })) },
    });
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 480);
    await eventually(() => transcripts.length).toBe(1);
    expect(server.last?.texts).toEqual([]);
    sendAudio(0, 20);
    await eventually(() => transcripts.at(-1)).toEqual({ kind: "final", text: "My number is", endOfTurn: 0.07 });
    expect(server.last?.texts).toEqual([FORCE_END_TURN]);
    expect(server.last?.audio.length).toBe(1_000 * 16);
  });

  test("does not ask for the end of a turn that Flux has ended", async () => {
    const server = await fakeFlux({
      steps: [{ atMs: 640, act: sendMessage(turnInfo("EndOfTurn", "Yes.", 0.9)) }],
    });
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 160);
    await eventually(() => transcripts.length).toBe(1);
    sendAudio(0, 1_000);
    await eventually(() => server.last?.audio.length).toBe(1_600 * 16);
    expect(server.last?.texts).toEqual([]);
  });

  test("asks no Flux server of one's own, which would close the stream", async () => {
    const server = await fakeFlux();
    openOn(server, sttFactory("flux-general-en", "", false)).sendAudio(500, 1_000);
    await eventually(() => server.last?.audio.length).toBeGreaterThan(1_400 * 16);
    expect(server.last?.texts).toEqual([]);
  });

  test("emits an empty final where it asks about sound without words", async () => {
    const server = await fakeFlux();
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 500);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "" }]);
  });

  test("is not taken for failed, nor checked by another stream, where noise has no words", async () => {
    const server = await fakeFlux();
    const { sendAudio, transcripts, opened } = openWithFailover(server, make);
    await eventually(() => server.seen.length).toBe(1);
    sendAudio(500, 500);
    await eventually(() => server.last?.texts).toEqual([FORCE_END_TURN]);
    sendAudio(0, STT_UTTERANCE_TRANSCRIPT_MS_MAX / 2);
    await eventually(() => server.last?.audio.length).toBeGreaterThan(2_900 * 16);
    sendAudio(0, STT_UTTERANCE_TRANSCRIPT_MS_MAX);
    await eventually(() => server.last?.audio.length).toBeGreaterThan(6_900 * 16);
    expect([server.seen.length, transcripts, opened.times]).toEqual([1, [], 0]);
  });

  test("P11: ignores a warning that there is no turn, where the turn ended before the request arrived", async () => {
    const server = await fakeFlux({
      answers: { ForceEndTurn: sendMessage(turnInfo("EndOfTurn", "Yes.", 0.8), NO_ACTIVE_TURN) },
    });
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 500);
    await eventually(() => transcripts.length).toBe(1);
    sendAudio(500, 500);
    await eventually(() => transcripts).toEqual([
      { kind: "final", text: "Yes.", endOfTurn: 0.8 },
      { kind: "final", text: "" },
    ]);
  });

  test("P11: emits nothing for turns without words, and withdraws interim words with an empty final", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        turnInfo("EndOfTurn", "", 0.9),
        turnInfo("Update", "uh", 0.1, { index: 1 }),
        turnInfo("EndOfTurn", "", 0.9, { index: 1 }),
      ),
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "uh", endOfTurn: 0.1 },
      { kind: "final", text: "" },
    ]);
  });

  test("P11: emits no control characters, and bounds the length of a transcript", async () => {
    const [final] = await transcriptsOf(sendMessage(turnInfo("EndOfTurn", " two\u0000\u001b[31m\n cakes ", 0.9)));
    expect(final?.text).toBe("two [31m cakes");
    const [long] = await transcriptsOf(sendMessage(turnInfo("EndOfTurn", "word ".repeat(4_000), 0.9)));
    expect(long?.text.length).toBeLessThanOrEqual(16_384);
  });

  test("reports the detected language by the call's own tag, and none where several were detected", async () => {
    const language = async (languages: string[]) =>
      (await transcriptsOf(sendMessage(turnInfo("EndOfTurn", "Genau.", 0.9, { languages })))).at(-1)?.language;
    expect(await language(["de"])).toBe("de");
    expect(await language(["en"])).toBe("en-US");
    expect(await language(["en", "de"])).toBeUndefined();
    expect(await language([])).toBeUndefined();
  });

  test("fails with Flux's error code, and quotes nothing else", async () => {
    const error = { type: "Error", sequence_id: 3, code: "UNPARSABLE_CLIENT_MESSAGE", description: "my secret words" };
    const server = await fakeFlux({ greeting: sendMessage(error) });
    await expect(openOn(server, make).ended).rejects.toThrow(/^flux: reported error UNPARSABLE_CLIENT_MESSAGE$/);
  });

  test.each([
    ["an error without a code", { type: "Error", code: "my secret words" }, /reported error without a code$/],
    [
      "a turn without a number",
      { type: "TurnInfo", event: "Update", transcript: "my secret words" },
      /malformed turn$/,
    ],
    ["a turn without a transcript", { type: "TurnInfo", event: "Update", turn_index: 0 }, /malformed turn$/],
  ])("P7: %s fails the stream", async (_name, message, expected) => {
    const server = await fakeFlux({ greeting: sendMessage(message) });
    await expect(openOn(server, make).ended).rejects.toThrow(expected);
  });

  test("ignores unknown messages, and warnings that it did not cause", async () => {
    const transcripts = await transcriptsOf(
      sendMessage({ type: "ConfigureSuccess" }, {}, NO_ACTIVE_TURN, turnInfo("EndOfTurn", "Yes.", 0.9)),
    );
    expect(transcripts).toEqual([{ kind: "final", text: "Yes.", endOfTurn: 0.9 }]);
  });
});
