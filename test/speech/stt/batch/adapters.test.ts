import { describe, expect, test } from "vitest";
import { type Clock, systemClock } from "../../../../src/core/clock.ts";
import { createAssemblyAiBatchStt, recordingOrigin } from "../../../../src/speech/stt/providers/assemblyai/batch.ts";
import { createDeepgramBatchStt } from "../../../../src/speech/stt/providers/deepgram/batch.ts";
import { createOpenAiBatchStt, type OpenAiBatchOptions } from "../../../../src/speech/stt/providers/openai/batch.ts";
import { batchSttContract, requestOf, transcribed, WORDS } from "../../../contract/speech/batch-stt.ts";
import {
  fakeAssemblyAiBatch,
  fakeDeepgramBatch,
  fakeOpenAiBatch,
  fieldsOf,
  samplesIn,
} from "../../../support/providers/stt/batch-fakes.ts";
import { answerWith, BatchServer, FAULTS, type ReceivedRequest } from "../../../support/providers/stt/batch-server.ts";
import { STT_KEY } from "../../../support/providers/stt/stt-kit.ts";

/** Polls at once. */
const hurried: Clock = { ...systemClock, after: (_delayMs, task) => systemClock.after(0, task) };

const deepgramOf = ({ host }: BatchServer, model = "nova-3", query = "") =>
  createDeepgramBatchStt({ apiKey: STT_KEY, model, url: `ws://${host}/v1/listen${query}` });
const assemblyAiOf = ({ host }: BatchServer) =>
  createAssemblyAiBatchStt({ apiKey: STT_KEY, url: `ws://${host}/v3/ws`, clock: hurried });
const openAiOf = ({ host }: BatchServer, options: Partial<OpenAiBatchOptions> = {}) =>
  createOpenAiBatchStt({
    ...{ apiKey: STT_KEY, model: "whisper-1", url: `http://${host}/v1`, languageDetection: true, wordTimes: true },
    ...options,
  });

batchSttContract("Deepgram", async (transcript, fault) => {
  const server = await fakeDeepgramBatch(transcript, fault);
  return {
    server,
    stt: deepgramOf(server),
    sent: async () => {
      const query = server.seen[0]?.url.searchParams ?? new URLSearchParams();
      return {
        language: query.get("language") ?? undefined,
        detects: query.get("detect_language") === "true",
        vocabulary: query.getAll("keyterm"),
      };
    },
  };
});

batchSttContract("AssemblyAI", async (transcript, fault) => {
  const server = await fakeAssemblyAiBatch(transcript, fault);
  return {
    server,
    stt: assemblyAiOf(server),
    sent: async () => {
      const order = JSON.parse(server.seen[1]?.body.toString("utf8") ?? "{}");
      const { language_code: language, language_detection: detects = false, keyterms_prompt: vocabulary = [] } = order;
      return { language, detects, vocabulary };
    },
  };
});

batchSttContract("OpenAI", async (transcript, fault) => {
  const server = await fakeOpenAiBatch(transcript, fault);
  return {
    server,
    stt: openAiOf(server),
    sent: async () => {
      const { language = [], prompt = [] } = await fieldsOf(server.seen[0] as ReceivedRequest);
      const vocabulary = prompt.flatMap((terms) => terms.split(", "));
      return { language: language[0], detects: language.length === 0, vocabulary };
    },
  };
});

describe("the batch adapter of Deepgram", () => {
  test("takes the parameters of the configured address, without those of a stream", async () => {
    const server = await fakeDeepgramBatch({ words: WORDS });
    await transcribed(
      deepgramOf(server, "nova-3", "?language=de&endpointing=500&sample_rate=8000&profanity_filter=true"),
    );
    const query = server.seen[0]?.url.searchParams;
    expect(query?.getAll("language")).toEqual(["de"]);
    expect(query?.get("profanity_filter")).toBe("true");
    expect(query?.has("endpointing")).toBe(false);
    expect(query?.has("sample_rate")).toBe(false);
    expect(samplesIn(server.seen[0]?.body as Buffer)).toBe(requestOf().samples.length);
  });

  test("names the vocabulary as the model takes it", async () => {
    const server = await fakeDeepgramBatch({ words: WORDS });
    await transcribed(deepgramOf(server, "nova-2"), { vocabulary: ["Anna", "New York", "a:9"] });
    expect(server.seen[0]?.url.searchParams.getAll("keywords")).toEqual(["Anna"]);
  });

  test("detects no language with a model of one language, or with a language in the address", async () => {
    const server = await fakeDeepgramBatch({ words: WORDS });
    expect(deepgramOf(server, "nova-3-medical").capabilities.detectsLanguage).toBe(false);
    expect(deepgramOf(server, "nova-3", "?language=de").capabilities.detectsLanguage).toBe(false);
    expect(deepgramOf(server, "nova-3", "?language=multi").capabilities.detectsLanguage).toBe(true);
  });

  test("reports a language by the code of GET /languages", async () => {
    const server = await fakeDeepgramBatch({ words: WORDS, detected: "no" });
    expect((await transcribed(deepgramOf(server), { language: "auto" })).language).toBe("nb");
  });
});

describe("the batch adapter of AssemblyAI", () => {
  test.each([
    ["wss://streaming.assemblyai.com/v3/ws", "https://api.assemblyai.com"],
    ["wss://streaming.us.assemblyai.com/v3/ws", "https://api.assemblyai.com"],
    ["wss://streaming.eu.assemblyai.com/v3/ws?x=1", "https://api.eu.assemblyai.com"],
    ["ws://my-proxy:8080/v3/ws", "http://my-proxy:8080"],
  ])("of the stream at %s sends recordings to %s", (address, origin) => {
    expect(recordingOrigin(address)).toBe(origin);
  });

  test("orders the transcript of what it has uploaded, by the models for recordings", async () => {
    const server = await fakeAssemblyAiBatch({ words: WORDS });
    await transcribed(assemblyAiOf(server), { speakers: true });
    expect(server.seen.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual([
      "POST /v2/upload",
      "POST /v2/transcript",
      "GET /v2/transcript/a-transcript-1",
      "GET /v2/transcript/a-transcript-1",
    ]);
    expect(JSON.parse(server.seen[1]?.body.toString("utf8") ?? "")).toEqual({
      audio_url: `http://${server.host}/upload/1`,
      speech_models: ["universal-3-5-pro", "universal-2"],
      language_code: "en",
      speaker_labels: true,
    });
  });

  test("fails when the transcript does, without its text, which has an address", async () => {
    const server = await BatchServer.listen(({ url }) =>
      answerWith(
        url.pathname === "/v2/upload" ? { upload_url: "https://x" } : { id: "a", status: "error", error: "https://x" },
      ),
    );
    await expect(transcribed(assemblyAiOf(server))).rejects.toThrow("assemblyai: could not transcribe the audio");
  });

  test("understands no words where nothing is said, also when it was to detect the language", async () => {
    for (const isOld of [false, true]) {
      const server = await fakeAssemblyAiBatch({ words: [] }, undefined, { isOld });
      const { words, language } = await transcribed(assemblyAiOf(server), { language: "auto" });
      expect([words, language]).toEqual([[], undefined]);
    }
  });

  test("polls again after a poll that fails, and orders nothing again", async () => {
    const polls = [FAULTS.status(503), FAULTS.status(429, { "retry-after": "1" }), FAULTS.breaksOff, FAULTS.html];
    const server = await fakeAssemblyAiBatch({ words: WORDS }, undefined, { polls });
    expect((await transcribed(assemblyAiOf(server))).words).toHaveLength(WORDS.length);
    expect(server.seen.filter(({ method }) => method === "POST")).toHaveLength(2);
  });

  test("fails when a poll is refused", async () => {
    const server = await fakeAssemblyAiBatch({ words: WORDS }, undefined, { polls: [FAULTS.status(404)] });
    await expect(transcribed(assemblyAiOf(server))).rejects.toMatchObject({ cause: { status: 404 } });
    expect(server.seen).toHaveLength(3);
  });

  test("asks for no transcript whose id is none", async () => {
    const server = await BatchServer.listen(() =>
      answerWith({ upload_url: "https://x", id: "../v2/upload", status: "queued" }),
    );
    await expect(transcribed(assemblyAiOf(server))).rejects.toThrow("assemblyai: sent no id of the transcript");
    expect(server.seen).toHaveLength(2);
  });
});

describe("the batch adapter of OpenAI", () => {
  test("estimates the times of words where the model gives none", async () => {
    const server = await fakeOpenAiBatch({ words: WORDS });
    const stt = openAiOf(server, { model: "gpt-transcribe", wordTimes: false });
    const { words, hasEstimatedTimes } = await transcribed(stt, { language: "de" });
    expect(words.map(({ text }) => text)).toEqual(["Good", "morning,", "Anna."]);
    expect([words[0]?.startMs, words[2]?.endMs]).toEqual([0, 2_000]);
    expect(hasEstimatedTimes).toBe(true);
    const fields = await fieldsOf(server.seen[0] as ReceivedRequest);
    expect(fields).toEqual({ model: ["gpt-transcribe"], "languages[]": ["de"] });
  });

  test("estimates them within the segments of a server that has only those", async () => {
    const segments = [
      { start: 0.2, end: 0.6, text: " Good." },
      { start: 1.2, end: 1.6, text: " Anna!" },
    ];
    const server = await BatchServer.listen(() => answerWith({ text: "Good. Anna!", segments }));
    const { words, hasEstimatedTimes } = await transcribed(openAiOf(server));
    expect(words).toEqual([
      { text: "Good.", startMs: 200, endMs: 600 },
      { text: "Anna!", startMs: 1_200, endMs: 1_600 },
    ]);
    expect(hasEstimatedTimes).toBe(true);
  });

  test("has no words for notes about sounds", async () => {
    const server = await BatchServer.listen(() => answerWith({ text: "[BLANK_AUDIO]", words: [] }));
    expect((await transcribed(openAiOf(server))).words).toEqual([]);
  });
});
