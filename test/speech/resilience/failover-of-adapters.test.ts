import { afterEach, expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import type { SttEvent } from "../../../src/speech/contracts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { createAnthropicLlm } from "../../../src/speech/llm/providers/anthropic/adapter.ts";
import { createOpenAiLlm } from "../../../src/speech/llm/providers/openai/adapter.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { createAssemblyAiStt } from "../../../src/speech/stt/providers/assemblyai/adapter.ts";
import { createDeepgramStt } from "../../../src/speech/stt/providers/deepgram/adapter.ts";
import { createOpenAiStt } from "../../../src/speech/stt/providers/openai/adapter.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { createElevenLabsTts } from "../../../src/speech/tts/providers/elevenlabs/adapter.ts";
import { createOpenAiTts } from "../../../src/speech/tts/providers/openai/adapter.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { messageAnswer } from "../../support/providers/llm/anthropic.ts";
import { LlmServer } from "../../support/providers/llm/llm-server.ts";
import { unfinishedChat } from "../../support/providers/llm/openai.ts";
import { fakeAssemblyAi, turn } from "../../support/providers/stt/assemblyai.ts";
import { fakeDeepgram, results } from "../../support/providers/stt/deepgram.ts";
import { framesOf, hum, sendMessage } from "../../support/providers/stt/stt-server.ts";
import { TranscriptionServer } from "../../support/providers/stt/transcription-server.ts";
import { ELEVENLABS_VOICE, FakeElevenLabs } from "../../support/providers/tts/elevenlabs.ts";
import { FakeOpenAiSpeech } from "../../support/providers/tts/openai.ts";
import { activityOfStream } from "../../support/speech-activity.ts";

// The protocols of real providers over real sockets: one fails in the middle of a sentence, and another one continues.

const clock = systemClock;
const KEY = "canary-key";
const RATE_HZ = 8_000;
const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

test("P10: Deepgram closes in the middle of a sentence, and AssemblyAI gets the sentence from its beginning", {
  tags: ["stt"],
}, async () => {
  const deepgram = await fakeDeepgram({
    steps: [
      { atMs: 500, act: sendMessage(results("I would", [0, 0.5])) },
      { atMs: 700, act: (socket) => socket.close(1011, KEY) },
    ],
  });
  const heardAll = turn(0, "I would like a loaf.", { end: true, formatted: true });
  const assemblyai = await fakeAssemblyAi({ steps: [{ atMs: 1_400, act: sendMessage(heardAll) }] });
  opened.push(deepgram, assemblyai);
  const abortController = new AbortController();
  opened.push({ close: () => abortController.abort() });
  const stts = [
    createDeepgramStt({ apiKey: KEY, model: "nova-3", url: `ws://127.0.0.1:${deepgram.port}/v1/listen`, clock }),
    createAssemblyAiStt({ apiKey: KEY, model: "universal-3-6-pro", url: `ws://127.0.0.1:${assemblyai.port}/`, clock }),
  ];
  const candidates = stts.map((stt) => ({ stt, ...breakerFor("stt", stt.provider, clock) }));
  const stream = new FallbackStt(candidates, clock).open(
    { language: "en-US", rateHz: RATE_HZ },
    abortController.signal,
  );
  const transcripts: SttEvent[] = [];
  const done = (async () => {
    for await (const event of stream.events) transcripts.push(event);
  })();
  const activityOf = activityOfStream();
  for (const [frame, voiced] of framesOf(hum(RATE_HZ, 1_500, 0), RATE_HZ)) stream.write(frame, activityOf(voiced));
  await expect.poll(() => transcripts.at(-1)?.text, { timeout: 10_000, interval: 5 }).toBe("I would like a loaf.");
  expect(transcripts.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([
    "interim: I would",
    "final: I would like a loaf.",
  ]);
  expect(candidates.map(({ reports }) => reports)).toEqual([["registered", "provider_failed"], ["registered"]]);
  abortController.abort();
  await done;
});

test("P6: STT that sends its response byte by byte times out, and the next provider gets the audio", {
  tags: ["stt"],
}, async () => {
  const answer = JSON.stringify({ text: "I would like a loaf." });
  const dripping = await TranscriptionServer.listen((response) => {
    let sent = 0;
    const drip = setInterval(() => response.write(answer[sent++ % 8]), 5);
    response.writeHead(200).on("close", () => clearInterval(drip));
  });
  const whole = turn(0, "I would like a loaf.", { end: true, formatted: true });
  const assemblyai = await fakeAssemblyAi({ steps: [{ atMs: 6_500, act: sendMessage(whole) }] });
  opened.push(dripping, assemblyai);
  const abortController = new AbortController();
  opened.push({ close: () => abortController.abort() });
  const stts = [
    createOpenAiStt({ apiKey: KEY, model: "whisper-1", languageDetection: false, url: dripping.url }),
    createAssemblyAiStt({ apiKey: KEY, model: "universal-3-6-pro", url: `ws://127.0.0.1:${assemblyai.port}/`, clock }),
  ];
  const candidates = stts.map((stt) => ({ stt, ...breakerFor("stt", stt.provider, clock) }));
  const stream = new FallbackStt(candidates, clock).open({ language: "en-US", rateHz: 16_000 }, abortController.signal);
  // The caller speaks for more than six seconds, and for more than four no transcript arrives.
  const activityOf = activityOfStream();
  for (const [frame, voiced] of framesOf(hum(16_000, 6_200, 2_000), 16_000)) stream.write(frame, activityOf(voiced));
  await expect.poll(() => dripping.seen.length, { timeout: 10_000, interval: 5 }).toBe(1);
  for (const [frame, voiced] of framesOf(hum(16_000, 0, 2_500), 16_000)) stream.write(frame, activityOf(voiced));
  const transcripts = (await stream.events[Symbol.asyncIterator]().next()).value as SttEvent;
  expect(transcripts).toEqual({ kind: "final", text: "I would like a loaf." });
  expect(candidates.map(({ reports }) => reports)).toEqual([["registered", "provider_failed"], ["registered"]]);
  await expect.poll(() => dripping.cancelled, { timeout: 10_000, interval: 5 }).toBe(1);
});

test("P3: OpenAI's LLM breaks off in the middle of a sentence, and Claude continues it", {
  tags: ["llm"],
}, async () => {
  const openai = await LlmServer.start({ kind: "cut", events: unfinishedChat("We ", "have") });
  const anthropic = await LlmServer.start({ kind: "events", events: messageAnswer("rye ", "and wheat.") });
  opened.push({ close: () => openai.stop() }, { close: () => anthropic.stop() });
  const llms = [
    createOpenAiLlm({ model: "gpt-4o-mini", apiKey: KEY, baseUrl: `${openai.url}/v1` }),
    createAnthropicLlm({ model: "claude-haiku-4-5", apiKey: KEY, baseUrl: anthropic.url }),
  ];
  const llm = new FallbackLlm(
    llms.map((one) => ({ llm: one, circuitBreaker: breakerFor("llm", one.provider, clock).circuitBreaker })),
    clock,
  );
  const question = { messages: [{ role: "user" as const, text: "What do you have?" }], tools: [] };
  let said = "";
  for await (const event of llm.reply({ ...question, temperature: 0, language: "en" }, new AbortController().signal)) {
    if (event.kind === "text") said += event.text;
  }
  expect([said, openai.requests.length]).toEqual(["We have rye and wheat.", 1]);
  expect(anthropic.requests[0]?.body.messages).toMatchObject([
    { role: "user" },
    { role: "assistant" },
    { role: "user" },
  ]);
});

test("P10: ElevenLabs closes in the middle of a sentence, and another TTS speaks the rest", {
  tags: ["tts"],
}, async () => {
  const text = "Hello there, my friend. How are you today?";
  const elevenlabs = await new FakeElevenLabs({ fault: { kind: "closes", afterChunks: 3, code: 1011 } }).listen();
  const openai = await new FakeOpenAiSpeech({}).listen();
  const ttsProviders = [
    createElevenLabsTts({ apiKey: KEY, model: "eleven_flash_v2_5", url: elevenlabs.url, clock }),
    createOpenAiTts({
      url: `${openai.url}/v1`,
      apiKey: KEY,
      model: "gpt-4o-mini-tts",
      voices: [{ name: "alloy", language: "en" }],
      clock,
    }),
  ];
  opened.push(...ttsProviders, elevenlabs, openai);
  const candidates = ttsProviders.map((tts) => ({ tts, ...breakerFor("tts", tts.provider, clock) }));
  const tts = new FallbackTts(candidates, new TtsCache(), clock);
  const spokenWords: string[] = [];
  let ms = 0;
  const voiceId = `elevenlabs/${ELEVENLABS_VOICE.voice_id}`;
  const request = { text, voiceId, language: "en-US", rateHz: RATE_HZ };
  for await (const { samples, rateHz, words } of tts.speak(request, new AbortController().signal)) {
    spokenWords.push(...words.map((word) => word.text));
    ms += (samples.length * 1_000) / rateHz;
  }
  const { input } = JSON.parse(openai.requests[0]?.body ?? "{}") as { input: string };
  const before = spokenWords.join(" ");
  expect([text.startsWith(before), text.endsWith(input), input.length < text.length]).toEqual([true, true, true]);
  // At most one word is repeated, and none is missing.
  const overlap = before.length + 1 + input.length - text.length;
  expect([0, (spokenWords.at(-1)?.length ?? 0) + 1]).toContain(overlap);
  expect(ms).toBeGreaterThan(1_000);
  expect(candidates.map(({ reports }) => reports)).toEqual([["registered", "provider_failed"], ["registered"]]);
});
