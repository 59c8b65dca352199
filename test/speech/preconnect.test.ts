import { createServer } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/core/clock.ts";
import { CIRCUIT_BREAKER_FAILURES_MAX } from "../../src/core/limits/speech-providers/providers.ts";
import type { ClosableTts, Llm, LlmRequest, TtsRequest } from "../../src/speech/contracts.ts";
import { keepAliveRequest } from "../../src/speech/keep-alive-request.ts";
import { FallbackLlm } from "../../src/speech/llm/fallback.ts";
import { createAnthropicLlm } from "../../src/speech/llm/providers/anthropic/adapter.ts";
import { createGeminiLlm } from "../../src/speech/llm/providers/gemini/adapter.ts";
import { createOpenAiLlm } from "../../src/speech/llm/providers/openai/adapter.ts";
import { TtsCache } from "../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../src/speech/tts/fallback.ts";
import { createCartesiaTts } from "../../src/speech/tts/providers/cartesia/adapter.ts";
import { createElevenLabsTts } from "../../src/speech/tts/providers/elevenlabs/adapter.ts";
import { createOpenAiTts } from "../../src/speech/tts/providers/openai/adapter.ts";
import { breakerFor } from "../support/providers/breakers.ts";
import { messageAnswer } from "../support/providers/llm/anthropic.ts";
import { geminiAnswer } from "../support/providers/llm/gemini.ts";
import { LlmServer } from "../support/providers/llm/llm-server.ts";
import { chatAnswer } from "../support/providers/llm/openai.ts";
import { CARTESIA_VOICE, FakeCartesia } from "../support/providers/tts/cartesia.ts";
import { ELEVENLABS_VOICE, FakeElevenLabs } from "../support/providers/tts/elevenlabs.ts";
import { FakeOpenAiSpeech } from "../support/providers/tts/openai.ts";
import type { TtsServer } from "../support/providers/tts/tts-server.ts";

const KEY = "canary-key";
const QUESTION: LlmRequest = { messages: [{ role: "user", text: "Hi." }], tools: [], temperature: 0, language: "en" };

const opened: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of opened.splice(0).reverse()) await close();
});

async function ask(llm: Llm): Promise<void> {
  for await (const _ of llm.reply(QUESTION, new AbortController().signal));
}

async function say(tts: ClosableTts | FallbackTts, request: TtsRequest): Promise<void> {
  for await (const _ of tts.speak(request, new AbortController().signal));
}

const arrives = (what: () => unknown) => expect.poll(what, { timeout: 10_000, interval: 5 });

const LLMS = {
  openai: { make: createOpenAiLlm, path: "/v1", answer: chatAnswer("Hello", ".") },
  anthropic: { make: createAnthropicLlm, path: "", answer: messageAnswer("Hello", ".") },
  gemini: { make: createGeminiLlm, path: "", answer: geminiAnswer("Hello", ".") },
};

describe.each(Object.entries(LLMS))("a connection to %s", (_name, { make, path, answer }) => {
  async function scene() {
    const server = await LlmServer.start({ kind: "events", events: answer });
    opened.push(() => server.stop());
    return { server, llm: make({ model: "fake-1", apiKey: KEY, baseUrl: `${server.url}${path}` }) };
  }

  test("is opened when a call begins, and serves its first request and the following ones", async () => {
    const { server, llm } = await scene();
    llm.prepare?.(new AbortController().signal);
    await arrives(() => server.connections).toBe(1);
    for (let question = 0; question < 3; question += 1) {
      // The rest of a response is read after its end; then its connection is free.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await ask(llm);
    }
    expect([server.connections, server.requests.length]).toEqual([1, 3]);
  });

  test("that cannot be preopened causes no error", async () => {
    const { server, llm } = await scene();
    await server.stop();
    llm.prepare?.(new AbortController().signal);
    llm.prepare?.(AbortSignal.abort());
    await expect(ask(llm)).rejects.toMatchObject({ code: "provider_failed" });
  });
});

interface TtsScene {
  server: TtsServer;
  tts: ClosableTts;
  voice: Omit<TtsRequest, "text">;
}

const TTS_PROVIDERS: Readonly<Record<string, () => Promise<TtsScene>>> = {
  async elevenlabs() {
    const server = await new FakeElevenLabs({}).listen();
    const settings = { apiKey: KEY, model: "eleven_flash_v2_5", url: server.url, clock: systemClock };
    const voiceId = `elevenlabs/${ELEVENLABS_VOICE.voice_id}`;
    return { server, tts: createElevenLabsTts(settings), voice: { voiceId, language: "en-US", rateHz: 8_000 } };
  },
  async cartesia() {
    const server = await new FakeCartesia({}).listen();
    const tts = createCartesiaTts({ apiKey: KEY, model: "sonic-3.5", url: server.url, clock: systemClock });
    return { server, tts, voice: { voiceId: `cartesia/${CARTESIA_VOICE.id}`, language: "en-US", rateHz: 8_000 } };
  },
  async openai() {
    const server = await new FakeOpenAiSpeech({}).listen();
    const voices = [{ name: "alloy", language: "en" }];
    const settings = { url: `${server.url}/v1`, apiKey: KEY, model: "tts-1", voices, clock: systemClock };
    return { server, tts: createOpenAiTts(settings), voice: { voiceId: "openai/alloy", language: "en" } };
  },
};

describe.each(Object.entries(TTS_PROVIDERS))("a TTS connection to %s", (_name, make) => {
  async function scene(): Promise<TtsScene> {
    const made = await make();
    opened.push(
      () => made.server.close(),
      () => made.tts.close(),
    );
    return made;
  }

  test("is opened when a call begins, and serves its first segment", async () => {
    const { server, tts, voice } = await scene();
    tts.prepare?.(voice, new AbortController().signal);
    await arrives(() => server.sockets).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    await say(tts, { ...voice, text: "Hello there." });
    // Where a connection serves only one segment, another one is opened for the next.
    await arrives(() => server.sockets).toBe(tts.provider === "elevenlabs" ? 2 : 1);
  });

  test("that is closed before its use is replaced by another", async () => {
    const { server, tts, voice } = await scene();
    const abortController = new AbortController();
    tts.prepare?.(voice, abortController.signal);
    await arrives(() => server.sockets).toBe(1);
    server.hangUp();
    await new Promise((resolve) => setTimeout(resolve, 50));
    abortController.abort();
    await say(tts, { ...voice, text: "Hello there." });
    expect(server.sockets).toBe(2);
  });
});

test("ElevenLabs: one connection is preopened for every segment of any call, and closed after the last call", async () => {
  const { server, tts, voice } = (await TTS_PROVIDERS.elevenlabs?.()) as TtsScene & { server: FakeElevenLabs };
  opened.push(
    () => server.close(),
    () => tts.close(),
  );
  const [first, second] = [new AbortController(), new AbortController()];
  tts.prepare?.(voice, first.signal);
  tts.prepare?.(voice, second.signal);
  for (let segment = 1; segment <= 3; segment += 1) {
    await arrives(() => server.connections.length).toBe(segment);
    await say(tts, { ...voice, text: `Segment ${segment}.` });
    if (segment === 1) first.abort();
  }
  await arrives(() => server.connections.length).toBe(4);
  const texts = server.connections.map(({ messages }) => messages[1]?.text);
  expect(texts).toEqual(["Segment 1. ", "Segment 2. ", "Segment 3. ", undefined]);
  second.abort();
  await server.connections[3]?.closed;
  await say(tts, { ...voice, text: "Alone." });
  expect(server.connections).toHaveLength(5);
});

test("only the first of several providers is prepared, and not while its circuit breaker is open", async () => {
  const prepared: string[] = [];
  const llmOf = (provider: string): Llm => ({
    provider,
    prepare: () => prepared.push(provider),
    async *reply() {},
  });
  const ttsOf = (provider: string): ClosableTts => ({
    provider,
    capabilities: { wordTimestamps: false },
    voices: async () => [],
    prepare: () => prepared.push(provider),
    async *speak() {},
    close: () => {},
  });
  const breakers = {
    llm: breakerFor("llm", "one", systemClock).circuitBreaker,
    tts: breakerFor("tts", "one", systemClock).circuitBreaker,
  };
  const another = breakerFor("llm", "two", systemClock).circuitBreaker;
  const llmCandidates = [
    { llm: llmOf("llm one"), circuitBreaker: breakers.llm },
    { llm: llmOf("llm two"), circuitBreaker: another },
  ];
  const ttsCandidates = [
    { tts: ttsOf("tts one"), circuitBreaker: breakers.tts },
    { tts: ttsOf("tts two"), circuitBreaker: another },
  ];
  const prepare = (): void => {
    new FallbackLlm(llmCandidates, systemClock).prepare(new AbortController().signal);
    const fallback = new FallbackTts(ttsCandidates, new TtsCache(), systemClock);
    fallback.prepare({ voiceId: "one", language: "en" }, new AbortController().signal);
  };
  prepare();
  expect(prepared).toEqual(["llm one", "tts one"]);
  for (const breaker of Object.values(breakers)) {
    for (let failure = 0; failure < CIRCUIT_BREAKER_FAILURES_MAX; failure += 1)
      breaker.tryAcquire()?.failed(new Error("planted"));
  }
  prepare();
  expect(prepared).toHaveLength(2);
});

test("an abort with an unread response throws no uncaught exception", async () => {
  const server = createServer((_request, response) => response.end("a whole answer"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const thrown: unknown[] = [];
  const note = (error: unknown): void => void thrown.push(error);
  process.on("uncaughtException", note);
  opened.push(() => process.off("uncaughtException", note));
  for (let round = 0; round < 5; round += 1) {
    const abortController = new AbortController();
    const { body: answer } = await keepAliveRequest(
      `http://127.0.0.1:${port}/`,
      { method: "GET", headers: {} },
      abortController.signal,
    );
    const parts = answer[Symbol.asyncIterator]();
    await parts.next();
    abortController.abort();
    await parts.next().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(thrown).toEqual([]);
});

test("an abort during a handshake that never ends rejects at once, and closes its own connection alone", async () => {
  const sockets: Socket[] = [];
  const server = createTcpServer((socket) => sockets.push(socket.resume().on("error", () => {})));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(
    () => server.close(),
    () => sockets.map((socket) => socket.destroy()),
  );
  const { port } = server.address() as AddressInfo;
  const abortController = new AbortController();
  const send = (signal: AbortSignal) =>
    keepAliveRequest(`https://127.0.0.1:${port}/`, { method: "GET", headers: {} }, signal);
  const answer = send(abortController.signal);
  await arrives(() => sockets.length).toBe(1);
  const other = new AbortController();
  const otherAnswer = send(other.signal);
  await arrives(() => sockets.length).toBe(2);
  abortController.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  await arrives(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
  other.abort();
  await expect(otherAnswer).rejects.toMatchObject({ name: "AbortError" });
  await arrives(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test("an abort of the request that opened a connection leaves it to the requests after it", async () => {
  const server = createServer(
    (request, response) => void request.resume().on("end", () => response.end("a whole answer")),
  );
  let connections = 0;
  server.on("connection", () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.push(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  for (let round = 0; round < 3; round += 1) {
    const abortController = new AbortController();
    const { body } = await keepAliveRequest(url, { method: "GET", headers: {} }, abortController.signal);
    expect(await body.text()).toBe("a whole answer");
    // The connection is free once the response is over.
    await new Promise((resolve) => setImmediate(resolve));
    abortController.abort();
  }
  expect(connections).toBe(1);
});

test("an aborted request closes its connection, and opens no other", async () => {
  let [connections, closed] = [0, 0];
  const silent = createTcpServer((socket) => {
    connections += 1;
    socket.resume().on("error", () => {});
    socket.on("close", () => {
      closed += 1;
    });
  });
  const other = createServer((_request, response) => response.end("a whole answer"));
  const urls = await Promise.all(
    [silent, other].map(async (server) => {
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      opened.push(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    }),
  );
  const abortController = new AbortController();
  const answer = keepAliveRequest(urls[0] ?? "", { method: "GET", headers: {} }, abortController.signal);
  await arrives(() => connections).toBe(1);
  abortController.abort();
  await expect(answer).rejects.toMatchObject({ name: "AbortError" });
  await arrives(() => closed).toBe(1);
  // A connection to another server takes as long as one that would be opened again.
  await (await keepAliveRequest(urls[1] ?? "", { method: "GET", headers: {} })).body.text();
  expect(connections).toBe(1);
});
