// @module-tag stt

import { describe, expect, test } from "vitest";
import { STT_UTTERANCE_TRANSCRIPT_MS_MAX } from "../../../../src/core/limits/speech-providers/stt.ts";
import { mulawDecode, mulawEncode } from "../../../../src/media/g711.ts";
import { loadResampler } from "../../../../src/media/resampler.ts";
import { isRequestError, retryDelayMs } from "../../../../src/speech/resilience/provider-error.ts";
import { createOpenAiRealtimeStt } from "../../../../src/speech/stt/providers/openairealtime/adapter.ts";
import { sttContract } from "../../../contract/speech/stt.ts";
import { sttSocketContract } from "../../../contract/speech/stt-socket.ts";
import { ManualClock, settled } from "../../../support/manual-clock.ts";
import {
  committed,
  completed,
  delta,
  failed,
  fakeOpenAiRealtime,
  NOTHING_TO_COMMIT,
  realtimeError,
  realtimeEvent,
  speechStopped,
} from "../../../support/providers/stt/openai-realtime.ts";
import {
  eventually,
  type MakeStt,
  openOn,
  openWithFailover,
  STT_KEY,
  transcriptsAfter,
} from "../../../support/providers/stt/stt-kit.ts";
import { hum, type SttServer, type SttServerAction, sendMessage } from "../../../support/providers/stt/stt-server.ts";

const makeResampler = await loadResampler();
const COMMIT = '{"type":"input_audio_buffer.commit"}';

const sttFactory =
  (model: string, query = ""): MakeStt =>
  (url, clock) =>
    createOpenAiRealtimeStt({ apiKey: STT_KEY, model, url: `${url}v1/realtime${query}`, makeResampler, clock });

/** A model that transcribes while the caller speaks, and one whose session finds the end of a turn. */
const streaming = sttFactory("gpt-live-transcribe");
const semantic = sttFactory("gpt-transcribe");

const sessionIn = (server: SttServer) => JSON.parse(server.last?.texts[0] ?? "{}").session;
const commitsIn = (server: SttServer): number => server.last?.texts.filter((text) => text === COMMIT).length ?? 0;

sttContract("openairealtime, a streaming model", async () => {
  const server = await fakeOpenAiRealtime({
    deltas: [
      { atMs: 120, words: "Good" },
      { atMs: 300, words: " morning" },
    ],
    transcripts: ["Good morning, everybody."],
  });
  const stt = streaming(`ws://127.0.0.1:${server.port}/`, new ManualClock());
  const audio = hum(8_000, 500, 400);
  return { stt, rateHz: 8_000, audio, text: "Good morning, everybody.", play: settled };
});

sttContract("openairealtime, a model with semantic VAD", async () => {
  const server = await fakeOpenAiRealtime({ rateHz: 24_000, transcripts: ["Good morning, everybody."] });
  const stt = semantic(`ws://127.0.0.1:${server.port}/`, new ManualClock());
  const audio = hum(16_000, 500, 400);
  return { stt, rateHz: 16_000, audio, text: "Good morning, everybody.", play: settled };
});

/** The samples after mu-law. */
function throughMulaw(samples: Int16Array): Int16Array {
  const [codes, decoded] = [new Uint8Array(samples.length), new Int16Array(samples.length)];
  mulawEncode(samples, codes);
  mulawDecode(codes, decoded);
  return decoded;
}

sttSocketContract({
  name: "openairealtime",
  make: streaming,
  setupTexts: 1,
  audio: { listen: fakeOpenAiRealtime, received: throughMulaw },
});

const transcriptsOf = (greeting: SttServerAction, finals?: number) =>
  transcriptsAfter(greeting, fakeOpenAiRealtime, streaming, finals);

describe("the session of OpenAI's realtime STT", () => {
  test("is one of transcription, in mu-law at 8,000 Hz, and the API key is only in a header", async () => {
    const server = await fakeOpenAiRealtime();
    openOn(server, streaming, { language: "de-AT" });
    await eventually(() => server.last?.texts.length).toBe(1);
    expect(Object.fromEntries(server.last?.query ?? [])).toEqual({ intent: "transcription" });
    expect(JSON.parse(server.last?.texts[0] ?? "")).toEqual({
      type: "session.update",
      session: {
        type: "transcription",
        audio: {
          input: {
            format: { type: "audio/pcmu" },
            transcription: { model: "gpt-live-transcribe", languages: ["de"] },
            turn_detection: null,
          },
        },
      },
    });
    expect(server.last?.headers.authorization).toBe(`Bearer ${STT_KEY}`);
    expect(server.last?.headers["openai-beta"]).toBeUndefined();
  });

  test("has PCM at 24,000 Hz for other calls, resampled", async () => {
    const server = await fakeOpenAiRealtime({ rateHz: 24_000 });
    openOn(server, streaming, { rateHz: 16_000 }).sendAudio(600, 0);
    await eventually(() => server.last?.messages.length).toBe(10);
    expect(sessionIn(server).audio.input.format).toEqual({ type: "audio/pcm", rate: 24_000 });
    const samples = new Int16Array(new Uint8Array(server.last?.audio ?? []).buffer);
    expect(Math.abs(samples.length - 0.6 * 24_000)).toBeLessThan(100);
    expect(Math.max(...samples)).toBeGreaterThan(3_500);
  });

  test.each([
    ["gpt-transcribe", {}, { model: "gpt-transcribe" }],
    ["gpt-transcribe", { languagePinned: true, language: "nb" }, { model: "gpt-transcribe", languages: ["no"] }],
    ["gpt-4o-transcribe", {}, { model: "gpt-4o-transcribe", language: "en" }],
    ["gpt-4o-transcribe", { language: "gd" }, { model: "gpt-4o-transcribe" }],
  ])("of %s with %j is given the language as that model takes it", async (model, options, transcription) => {
    const server = await fakeOpenAiRealtime();
    openOn(server, sttFactory(model), options);
    await eventually(() => server.last?.texts.length).toBe(1);
    expect(sessionIn(server).audio.input.transcription).toEqual(transcription);
    expect(sessionIn(server).audio.input.turn_detection).toEqual({ type: "semantic_vad", eagerness: "high" });
  });

  test("is opened when the server has configured it", async () => {
    const [configured, silent] = [
      await fakeOpenAiRealtime(),
      await fakeOpenAiRealtime({ answers: { "session.update": () => {} } }),
    ];
    const [opened, waiting] = [openOn(configured, streaming), openOn(silent, streaming)];
    await eventually(() => [opened.opened.times, silent.last?.texts.length]).toEqual([1, 1]);
    expect(waiting.opened.times).toBe(0);
  });

  test("needs no API key of a server of one's own", async () => {
    const server = await fakeOpenAiRealtime();
    openOn(server, (url, clock) =>
      createOpenAiRealtimeStt({ apiKey: undefined, model: "whisper", url: `${url}v1/realtime`, makeResampler, clock }),
    );
    await eventually(() => server.seen.length).toBe(1);
    expect(server.last?.headers.authorization).toBeUndefined();
  });

  test("has interim transcripts with streaming models, and detects the language with one of the others", () => {
    const capabilities = (model: string) => {
      const { interimTranscripts, detectsLanguage } = sttFactory(model)(
        "ws://127.0.0.1:1/",
        new ManualClock(),
      ).capabilities;
      return [interimTranscripts, detectsLanguage?.("de")];
    };
    expect(capabilities("gpt-live-transcribe")).toEqual([true, false]);
    expect(capabilities("gpt-realtime-whisper")).toEqual([true, false]);
    expect(capabilities("gpt-transcribe")).toEqual([false, true]);
    expect(capabilities("gpt-4o-transcribe")).toEqual([false, false]);
  });

  test("a stream fails where there is no memory for a resampler", async () => {
    const server = await fakeOpenAiRealtime();
    const noMemory = () => {
      throw new Error("no memory");
    };
    const make: MakeStt = (url, clock) =>
      createOpenAiRealtimeStt({ apiKey: STT_KEY, model: "gpt-transcribe", url, makeResampler: noMemory, clock });
    const { ended, sendAudio } = openOn(server, make, { rateHz: 16_000 });
    sendAudio(100, 400);
    await expect(ended).rejects.toThrow("no memory");
    expect(server.seen).toEqual([]);
  });
});

describe("a streaming model of OpenAI", () => {
  test("is asked for a final when speech pauses, after all of its audio", async () => {
    const server = await fakeOpenAiRealtime({ transcripts: ["Yes."] });
    const { sendAudio, transcripts } = openOn(server, streaming);
    sendAudio(500, 180);
    await eventually(() => server.last?.audio.length).toBe(660 * 16);
    expect(commitsIn(server)).toBe(0);
    sendAudio(0, 20);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Yes." }]);
    expect([commitsIn(server), server.last?.audio.length]).toEqual([1, 700 * 16]);
  });

  test("emits words as they come, and the final of an item though words of the next one have come", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        delta("a", "Two"),
        delta("a", " cakes"),
        committed("a"),
        delta("b", "Th"),
        delta("a", " please"),
        completed("a", "Two cakes, please."),
        delta("b", "anks"),
        committed("b"),
        completed("b", "Thanks."),
        delta("b", "late"),
        completed("b", "Thanks."),
      ),
      2,
    );
    expect(transcripts).toEqual([
      { kind: "interim", text: "Two" },
      { kind: "interim", text: "Two cakes" },
      { kind: "interim", text: "Two cakes Th" },
      { kind: "interim", text: "Two cakes please Th" },
      { kind: "final", text: "Two cakes, please." },
      { kind: "interim", text: "Thanks" },
      { kind: "final", text: "Thanks." },
    ]);
  });

  test("P11: emits the finals in the order of the audio, though they come in another one", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(committed("a"), committed("b"), completed("b", "please."), completed("a", "Two cakes,")),
      2,
    );
    expect(transcripts.map(({ text }) => text)).toEqual(["Two cakes,", "please."]);
  });

  test("P11: finds an item whose id changes when it is committed, and one that was never confirmed", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        delta("a", "Two"),
        committed("b"),
        completed("b", "Two cakes."),
        delta("c", "Th"),
        completed("d", "Thanks."),
      ),
      2,
    );
    expect(transcripts.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      "interim Two",
      "final Two cakes.",
      "interim Th",
      "final Thanks.",
    ]);
  });

  test("emits an empty final for a pause after sound without words, also where there was nothing to commit", async () => {
    const server = await fakeOpenAiRealtime();
    const { sendAudio, transcripts } = openOn(server, streaming);
    sendAudio(500, 300);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "" }]);
    const empty = await fakeOpenAiRealtime({
      answers: { "input_audio_buffer.commit": sendMessage(NOTHING_TO_COMMIT) },
    });
    const next = openOn(empty, streaming);
    next.sendAudio(500, 300);
    await eventually(() => next.transcripts).toEqual([{ kind: "final", text: "" }]);
  });

  test("commits the words of a caller who never pauses, once", async () => {
    const words = "word ".repeat(1_000);
    const server = await fakeOpenAiRealtime({
      deltas: [100, 200, 300, 400].map((atMs) => ({ atMs, words })),
      answers: { "input_audio_buffer.commit": () => {} },
    });
    const { sendAudio, transcripts } = openOn(server, streaming);
    sendAudio(240, 0);
    await eventually(() => transcripts.length).toBe(2);
    sendAudio(240, 0);
    await eventually(() => transcripts.length).toBe(4);
    expect(commitsIn(server)).toBe(1);
    expect(transcripts.at(-1)?.text.length).toBeLessThanOrEqual(16_384);
  });

  test("reports no end of a turn: it has no such signal", async () => {
    const transcripts = await transcriptsOf(sendMessage(committed("a"), completed("a", "Yes.")));
    expect(transcripts).toEqual([{ kind: "final", text: "Yes." }]);
  });
});

describe("a model with OpenAI's semantic VAD", () => {
  test("reports the end of the turn that semantic VAD finds, and commits nothing of it itself", async () => {
    const server = await fakeOpenAiRealtime({ turnEndsAtMs: [660], transcripts: ["Two cakes."] });
    const { sendAudio, transcripts } = openOn(server, semantic);
    sendAudio(500, 180);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Two cakes.", endOfTurn: 0.9 }]);
    sendAudio(0, 400);
    // The call's own end of speech gets its final, too: there are no further words.
    await eventually(() => transcripts.at(-1)).toEqual({ kind: "final", text: "" });
    expect(commitsIn(server)).toBe(0);
  });

  test("is asked for the words when the call's speech has ended first, and reports no end then", async () => {
    const server = await fakeOpenAiRealtime({ turnEndsAtMs: [1_800], transcripts: ["My number is"] });
    const { sendAudio, transcripts } = openOn(server, semantic);
    sendAudio(500, 280);
    await eventually(() => server.last?.audio.length).toBe(780 * 16);
    expect(transcripts).toEqual([]);
    sendAudio(0, 20);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "My number is" }]);
    expect(commitsIn(server)).toBe(1);
  });

  test("the final of a turn that semantic VAD has ended is also that of the call's utterance, where it comes later", async () => {
    const server = await fakeOpenAiRealtime({
      steps: [
        { atMs: 660, act: sendMessage(completed("a", "Hello."), speechStopped("b"), committed("b")) },
        { atMs: 1_020, act: sendMessage(completed("b", "Two cakes.")) },
      ],
    });
    const { sendAudio, transcripts } = openOn(server, semantic);
    sendAudio(500, 180);
    await eventually(() => transcripts.length).toBe(1);
    await settled();
    sendAudio(0, 400);
    await eventually(() => transcripts).toEqual([
      { kind: "final", text: "Hello." },
      { kind: "final", text: "Two cakes.", endOfTurn: 0.9 },
    ]);
    expect(commitsIn(server)).toBe(0);
  });

  test("emits nothing for an end that semantic VAD finds in noise", async () => {
    const noise = sendMessage(speechStopped("a"), committed("a"), completed("a", ""));
    const server = await fakeOpenAiRealtime({ greeting: noise });
    const { transcripts, opened } = openOn(server, semantic);
    await eventually(() => opened.times).toBe(1);
    await settled();
    expect(transcripts).toEqual([]);
  });

  test("begins the final with the words of a request that was answered", async () => {
    const server = await fakeOpenAiRealtime({ transcripts: ["Two cakes", "and a loaf."] });
    const { sendAudio, stream, transcripts } = openOn(server, semantic);
    sendAudio(480, 0);
    stream.requestInterim?.();
    await eventually(() => transcripts).toEqual([{ kind: "interim", text: "Two cakes" }]);
    sendAudio(480, 300);
    await eventually(() => transcripts.at(-1)).toEqual({ kind: "final", text: "Two cakes and a loaf." });
    expect(commitsIn(server)).toBe(2);
  });

  test("answers a request with the final, where the utterance ends before the answer", async () => {
    const held: (() => void)[] = [];
    const server = await fakeOpenAiRealtime({
      answers: {
        "input_audio_buffer.commit": (socket) =>
          held.push(() => sendMessage(committed("a"), completed("a", "Yes."))(socket)),
      },
    });
    const { sendAudio, stream, transcripts } = openOn(server, semantic);
    sendAudio(480, 0);
    stream.requestInterim?.();
    stream.requestInterim?.();
    sendAudio(0, 300);
    await eventually(() => held.length).toBe(1);
    held[0]?.();
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "Yes." }]);
  });

  test("is never taken for failed: each utterance of the call gets its final, ended by either side, also without words", async () => {
    const server = await fakeOpenAiRealtime({
      turnEndsAtMs: [600, 1_620],
      transcripts: ["Two cakes.", "And a", "loaf.", ""],
    });
    const { sendAudio, transcripts } = openWithFailover(server, semantic);
    // Semantic VAD ends the first utterance, and the second in its middle; the call ends the others.
    sendAudio(500, 160);
    await eventually(() => transcripts.length).toBe(1);
    sendAudio(0, 340);
    await eventually(() => transcripts.length).toBe(2);
    sendAudio(620, 0);
    await eventually(() => transcripts.length).toBe(3);
    sendAudio(400, 400);
    await eventually(() => transcripts.length).toBe(4);
    sendAudio(400, 400);
    await eventually(() => transcripts.length).toBe(5);
    sendAudio(0, STT_UTTERANCE_TRANSCRIPT_MS_MAX + 1_000);
    await eventually(() => server.last?.audio.length).toBeGreaterThan(7_000 * 16);
    expect(transcripts.map(({ text, endOfTurn = 0 }) => [text, endOfTurn])).toEqual([
      ["Two cakes.", 0.9],
      ["", 0],
      ["And a", 0.9],
      ["loaf.", 0],
      ["", 0],
    ]);
    expect(server.seen).toHaveLength(1);
  });

  test("is asked after 30 s of speech without a pause", async () => {
    const server = await fakeOpenAiRealtime({ transcripts: ["On and on"] });
    const { sendAudio, transcripts, opened } = openOn(server, semantic);
    await eventually(() => opened.times).toBe(1);
    for (const _second of Array(29)) sendAudio(1_000, 0);
    await eventually(() => server.last?.audio.length).toBeGreaterThan(28_900 * 16);
    expect(commitsIn(server)).toBe(0);
    sendAudio(1_200, 0);
    await eventually(() => transcripts).toEqual([{ kind: "final", text: "On and on" }]);
  });

  test("reports the detected language by the call's own tag, and none where several were detected", async () => {
    const language = async (...codes: string[]) => {
      const greeting = sendMessage(committed("a"), completed("a", "Genau.", codes));
      return (await transcriptsAfter(greeting, fakeOpenAiRealtime, semantic)).at(-1)?.language;
    };
    expect([await language("de"), await language("en"), await language("en", "de"), await language()]).toEqual([
      "de",
      "en-US",
      undefined,
      undefined,
    ]);
  });
});

describe("OpenAI's realtime STT, when its provider fails", () => {
  test.each([
    [
      "P7: an error without a code",
      realtimeEvent("error", { error: { message: "my secret words" } }),
      /without a code$/,
    ],
    ["P10: a session that expired", realtimeError("session_expired"), /reported error session_expired$/],
    ["P7: a failed transcription", failed("a"), /could not transcribe an item$/],
    ["P7: a commit without an item", realtimeEvent("input_audio_buffer.committed"), /event without an item$/],
    ["P7: a complete item without a transcript", { ...completed("a", ""), transcript: 1 }, /no transcript with/],
  ])("%s fails the stream", async (_name, message, expected) => {
    const server = await fakeOpenAiRealtime({ greeting: sendMessage(message) });
    await expect(openOn(server, streaming).ended).rejects.toThrow(expected);
  });

  test.each([
    ["invalid_api_key", 401],
    ["insufficient_quota", 429],
    ["rate_limit_exceeded", 429],
  ])("P8, P16: %s is a refusal", async (code, status) => {
    const server = await fakeOpenAiRealtime({ greeting: sendMessage(realtimeError(code)) });
    await expect(openOn(server, streaming).ended).rejects.toMatchObject({ cause: { status } });
  });

  test("P8: settings that it refuses are the request's fault, so the provider does not count as failed for other calls", async () => {
    const refusing = await fakeOpenAiRealtime({
      answers: { "session.update": sendMessage(realtimeError("invalid_value")) },
    });
    const error = await openOn(refusing, streaming).ended.catch((caught: unknown) => caught);
    expect([isRequestError(error), retryDelayMs(error)]).toEqual([true, undefined]);
    expect(error).toMatchObject({ message: expect.stringMatching(/reported error invalid_value$/) });
    const later = await fakeOpenAiRealtime({
      answers: { "input_audio_buffer.commit": sendMessage(realtimeError("session_expired")) },
    });
    const { sendAudio, ended } = openOn(later, streaming);
    sendAudio(500, 500);
    const expired = await ended.catch((caught: unknown) => caught);
    expect([isRequestError(expired), retryDelayMs(expired)]).toEqual([false, 0]);
  });

  test("reports the code in the reason of a close, and quotes nothing else", async () => {
    const server = await fakeOpenAiRealtime({ greeting: (socket) => socket.close(3000, "server_error.shutdown") });
    await expect(openOn(server, streaming).ended).rejects.toThrow(
      /closed the stream with 3000 \(server_error.shutdown\)$/,
    );
  });

  test("P11: a server that names items without end, or confirms no commit, fails the stream", async () => {
    const many = Array.from({ length: 40 }, (_, index) => delta(`item_${index}`, "word"));
    const naming = await fakeOpenAiRealtime({ greeting: sendMessage(...many) });
    await expect(openOn(naming, streaming).ended).rejects.toThrow(/leaves too many items open$/);
    const silent = await fakeOpenAiRealtime({ answers: { "input_audio_buffer.commit": () => {} } });
    const { ended, sendAudio } = openOn(silent, streaming);
    for (let utterance = 0; utterance < 40; utterance += 1) sendAudio(100, 300);
    await expect(ended).rejects.toThrow(/does not confirm what is committed$/);
  });

  test("ignores unknown messages", async () => {
    const transcripts = await transcriptsOf(
      sendMessage(
        realtimeEvent("conversation.item.added", { item: { id: "a" } }),
        realtimeEvent("input_audio_buffer.speech_started", { item_id: "a", audio_start_ms: 0 }),
        {},
        NOTHING_TO_COMMIT,
        committed("a"),
        completed("a", "Yes."),
      ),
    );
    expect(transcripts).toEqual([{ kind: "final", text: "Yes." }]);
  });
});
