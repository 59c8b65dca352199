// @module-tag stt

import { describe, expect, test } from "vitest";
import { createAssemblyAiStt } from "../../../../src/speech/stt/providers/assemblyai/adapter.ts";
import { sttContract } from "../../../contract/speech/stt.ts";
import { sttSocketContract } from "../../../contract/speech/stt-socket.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import { fakeAssemblyAi, sessionError, turn } from "../../../support/providers/stt/assemblyai.ts";
import { eventually, type MakeStt, openOn, STT_KEY, transcriptsAfter } from "../../../support/providers/stt/stt-kit.ts";
import { hum, SttServer, type SttServerAction, sendMessage } from "../../../support/providers/stt/stt-server.ts";

const sttFactory =
  (model: string, query = ""): MakeStt =>
  (url, clock) =>
    createAssemblyAiStt({ apiKey: STT_KEY, model, url: `${url}v3/ws${query}`, clock });

const make = sttFactory("universal-3-6-pro");

sttContract("assemblyai", async () => {
  const server = await fakeAssemblyAi({
    steps: [
      { atMs: 120, act: sendMessage(turn(0, "", { open: ["good"] })) },
      { atMs: 300, act: sendMessage(turn(0, "good", { open: ["morning"] })) },
    ],
    answers: {
      ForceEndpoint: sendMessage(
        turn(0, "good morning everybody", { end: true }),
        turn(0, "Good morning, everybody.", { end: true, formatted: true }),
      ),
    },
  });
  const stt = make(`ws://127.0.0.1:${server.port}/`, new ManualClock());
  return { stt, rateHz: 16_000, audio: hum(16_000, 500, 600), text: "good morning everybody", play: settled };
});

sttSocketContract({ name: "assemblyai", make, goodbye: '{"type":"Terminate"}', closeStatus: 401 });

const transcriptsOf = (greeting: SttServerAction, finals?: number) =>
  transcriptsAfter(greeting, fakeAssemblyAi, make, finals);

describe("AssemblyAI STT", () => {
  test("names its audio format in the query, and sends its API key only in a header", async () => {
    const server = await fakeAssemblyAi();
    openOn(server, make);
    await eventually(() => server.seen.length).toBe(1);
    expect(Object.fromEntries(server.last?.query ?? [])).toEqual({
      speech_model: "universal-3-6-pro",
      encoding: "pcm_s16le",
      sample_rate: "8000",
      language_detection: "true",
    });
    expect(server.last?.headers.authorization).toBe(STT_KEY);
  });

  test("reports the stream as opened at `Begin`, because AssemblyAI accepts connections that it closes at once", async () => {
    const [begins, closes] = [
      await fakeAssemblyAi(),
      await SttServer.listen({ greeting: sendMessage(turn(0, "good")) }),
    ];
    const [taken, connected] = [openOn(begins, make), openOn(closes, make)];
    await eventually(() => [taken.opened.times, connected.transcripts.length]).toEqual([1, 1]);
    expect(connected.opened.times).toBe(0);
    for (const { abortController } of [taken, connected]) abortController.abort();
    for (const server of [begins, closes]) server.close();
  });

  test("does not request language detection from the English-only model", async () => {
    const server = await fakeAssemblyAi();
    openOn(server, sttFactory("universal-streaming-english", "?max_turn_silence=900"));
    await eventually(() => server.last?.query.get("max_turn_silence")).toBe("900");
    expect(server.last?.query.has("language_detection")).toBe(false);
  });

  test("sends audio in messages of 60 ms, because AssemblyAI accepts none below 50 ms", async () => {
    const server = await fakeAssemblyAi();
    const { sendAudio } = openOn(server, make);
    sendAudio(500, 580);
    await eventually(() => server.last?.texts).toEqual(['{"type":"ForceEndpoint"}']);
    await eventually(() => server.last?.messages).toEqual(Array.from({ length: 18 }, () => 960));
  });

  test("emits a growing turn with the words that may still change, and its final once", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        turn(0, "", { open: ["two"] }),
        turn(0, "two", { open: ["ca"] }),
        turn(0, "two", { open: ["cakes"] }),
        turn(0, "two cakes", { end: true }),
        turn(0, "Two cakes.", { end: true, formatted: true }),
        turn(0, "two", {}),
        turn(1, "Thanks", {}),
        turn(1, "Thanks.", { end: true, formatted: true }),
      ),
      2,
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "two" },
      { kind: "interim", text: "two ca" },
      { kind: "interim", text: "two cakes" },
      { kind: "final", text: "two cakes", endOfTurn: 1 },
      { kind: "interim", text: "Thanks" },
      { kind: "final", text: "Thanks.", endOfTurn: 1 },
    ]);
  });

  test("P11: emits nothing for turns without words, and withdraws interim words with an empty final", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        turn(0, "", { end: true }),
        turn(1, "", { open: ["uh"] }),
        turn(1, "", {}),
        turn(1, "", { end: true }),
      ),
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "uh" },
      { kind: "final", text: "" },
    ]);
  });

  test("reports the confidence that the turn is over with every transcript, where the model measures it", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        turn(0, "two", { open: ["cakes"], confidence: 0.021 }),
        turn(0, "two cakes", { confidence: 0.083 }),
        turn(0, "two cakes", { confidence: 0.3 }),
        turn(0, "two cakes", { end: true, confidence: 0.55 }),
      ),
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "two cakes", endOfTurn: 0.02 },
      { kind: "interim", text: "two cakes", endOfTurn: 0.3 },
      { kind: "final", text: "two cakes", endOfTurn: 0.55 },
    ]);
  });

  test.each([
    ["and not the one of the Pro models, which a request determines", 1, undefined],
    ["and that of models that measure it", 0.2, 0.2],
  ])("reports no certain end where it requested the end, %s", async (_which, confidence, expected) => {
    const server = await fakeAssemblyAi({
      answers: { ForceEndpoint: sendMessage(turn(0, "my number is", { end: true, confidence })) },
    });
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 600);
    await eventually(() => transcripts.map(({ endOfTurn }) => endOfTurn)).toEqual([expected]);
  });

  test("reports no certain end of a turn that it was asked to end, though the caller has gone on when the final comes", async () => {
    const server = await fakeAssemblyAi({
      steps: [
        { atMs: 400, act: sendMessage(turn(0, "my number is")) },
        { atMs: 1_500, act: sendMessage(turn(0, "my number is", { end: true }), turn(1, "zero one", { end: true })) },
      ],
    });
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 0);
    await eventually(() => transcripts.length).toBe(1);
    sendAudio(0, 600);
    await eventually(() => server.last?.texts).toEqual(['{"type":"ForceEndpoint"}']);
    sendAudio(600, 0);
    await eventually(() => transcripts).toEqual([
      { kind: "interim", text: "my number is" },
      { kind: "final", text: "my number is" },
      { kind: "final", text: "zero one", endOfTurn: 1 },
    ]);
  });

  test("reports the end of the next turn, after a request for which there was no turn", async () => {
    const server = await fakeAssemblyAi({
      steps: [{ atMs: 1_500, act: sendMessage(turn(0, "Thanks.", { end: true })) }],
    });
    const { sendAudio, transcripts } = openOn(server, make);
    sendAudio(500, 600);
    await eventually(() => server.last?.texts).toEqual(['{"type":"ForceEndpoint"}']);
    sendAudio(400, 200);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Thanks.", endOfTurn: 1 }]);
    sendAudio(0, 600);
    await eventually(() => server.last?.audio.length).toBeGreaterThan(2_200 * 16);
    expect(server.last?.texts).toHaveLength(1);
  });

  test("reports the language only where AssemblyAI is certain", async () => {
    const transcripts = async (code: string, confidence: number) =>
      (await transcriptsOf(sendMessage(turn(0, "Genau.", { end: true, language: [code, confidence] })))).at(-1);
    const final = { kind: "final", text: "Genau.", endOfTurn: 1 };
    expect(await transcripts("de", 0.97)).toEqual({ ...final, language: "de" });
    expect(await transcripts("en", 0.97)).toEqual({ ...final, language: "en-US" });
    expect(await transcripts("de", 0.6)).toEqual(final);
  });

  test.each([
    ["P16: an invalid API key", sessionError(1008, STT_KEY), /reported error 1008$/],
    [
      "P8: too many sessions at once",
      sessionError(3009, "Unauthorized Connection: Too many concurrent sessions"),
      /error 3009$/,
    ],
    ["P10: a session that expired", sessionError(3008, "my secret words"), /reported error 3008$/],
    ["P7: an error without a code", sendMessage({ type: "Error", error: "my secret words" }), /without a code$/],
    ["P7: a turn without a number", sendMessage({ type: "Turn", transcript: "my secret words" }), /malformed turn$/],
    ["P7: a turn without a transcript", sendMessage({ type: "Turn", turn_order: 0 }), /malformed turn$/],
  ])("%s fails the stream", async (_name, greeting, expected) => {
    const server = await fakeAssemblyAi({ greeting });
    const { ended } = openOn(server, make);
    await expect(ended).rejects.toThrow(expected);
  });

  test.each([
    ["an invalid API key", sessionError(1008, "Unauthorized Connection: Missing Authorization header"), 401],
    ["too many sessions", sessionError(1008, "Unauthorized Connection: Too many concurrent sessions"), 429],
    ["too many sessions", sessionError(3009, "See Error message for details"), 429],
    ["a close without an error", (socket) => socket.close(1008, "Unauthorized"), 401],
  ] satisfies [string, SttServerAction, number][])("P8, P16: %s is a refusal", async (_name, greeting, status) => {
    const server = await fakeAssemblyAi({ greeting });
    const { ended } = openOn(server, make);
    await expect(ended).rejects.toMatchObject({ cause: { status } });
  });
});
