import { afterEach, describe, expect, test } from "vitest";
import { LLM_IDLE_MS_MAX } from "../../../src/core/limits/llm.ts";
import { PROVIDER_FIRST_OUTPUT_MS_MAX } from "../../../src/core/limits/providers.ts";
import { STT_UNRECOGNIZED_SPEECH_MS_MAX } from "../../../src/core/limits/stt.ts";
import { TTS_IDLE_MS_MAX } from "../../../src/core/limits/tts.ts";
import { FallbackLlm } from "../../../src/speech/llm/fallback.ts";
import { FallbackStt } from "../../../src/speech/stt/fallback.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../src/speech/tts/fallback.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { breakerFor } from "../../support/providers/breakers.ts";
import { LLM_PROVIDERS, STT_PROVIDERS, TTS_PROVIDERS } from "../../support/providers/every-provider.ts";
import { unfinishedMessage } from "../../support/providers/llm/anthropic.ts";
import { unfinishedGemini } from "../../support/providers/llm/gemini.ts";
import { LlmServer, type LlmServerStep } from "../../support/providers/llm/llm-server.ts";
import { unfinishedChat } from "../../support/providers/llm/openai.ts";
import { framesOf, hum, SttServer, type SttServerAction } from "../../support/providers/stt/stt-server.ts";
import { CARTESIA_VOICE, FakeCartesia } from "../../support/providers/tts/cartesia.ts";
import { ELEVENLABS_VOICE, FakeElevenLabs } from "../../support/providers/tts/elevenlabs.ts";
import { FakeOpenAiSpeech } from "../../support/providers/tts/openai.ts";
import type { TtsFault, TtsServer } from "../../support/providers/tts/tts-server.ts";

// The wrappers around the real protocols, over real sockets: keep-alive data without content does not extend a
// deadline.

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

/** Reads `items` until `enough` have arrived, advances the clock by `silenceMs`, and returns why they ended. */
async function fallsSilent<T>(items: AsyncIterable<T>, enough: number, clock: ManualClock, silenceMs: number) {
  const got: T[] = [];
  const over = (async () => {
    for await (const item of items) got.push(item);
  })().then(
    () => undefined,
    (error: unknown) => error as Error,
  );
  await expect.poll(() => got.length, { timeout: 10_000, interval: 5 }).toBeGreaterThanOrEqual(enough);
  await clock.play(silenceMs - 1);
  const before = clock.pending;
  await clock.play(1);
  expect(before).toBeGreaterThan(0);
  return (await over)?.message;
}

describe.each(LLM_PROVIDERS)("LLM $name with fallback", { tags: ["llm"] }, ({ name, make }) => {
  const begun =
    { openai: unfinishedChat, anthropic: unfinishedMessage, gemini: unfinishedGemini }[name] ?? unfinishedChat;
  const cases: readonly [string, LlmServerStep, number, number, string][] = [
    ["P2: never responds", { kind: "silent" }, 0, PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
    [
      "P4: sends only comments",
      { kind: "keep-alive", events: [] },
      0,
      PROVIDER_FIRST_OUTPUT_MS_MAX,
      "did not start in time",
    ],
    [
      "P3: stalls after its first words",
      { kind: "events", events: begun("We have"), staysOpen: true },
      1,
      LLM_IDLE_MS_MAX,
      "stalled",
    ],
    [
      "P4: sends only comments after its first words",
      { kind: "keep-alive", events: begun("We have") },
      1,
      LLM_IDLE_MS_MAX,
      "stalled",
    ],
  ];
  test.each(cases)("%s: times out, and its connection is closed", async (_title, step, enough, silenceMs, why) => {
    const server = await LlmServer.start(step);
    opened.push({ close: () => server.stop() });
    const clock = new ManualClock();
    const llm = await make(server.url, clock);
    const fallback = new FallbackLlm([{ llm, circuitBreaker: breakerFor("llm", name, clock).circuitBreaker }], clock);
    const request = {
      messages: [{ role: "user" as const, text: "Hello." }],
      tools: [],
      temperature: 0,
      language: "en",
    };
    const reply = fallback.reply(request, new AbortController().signal);
    expect(await fallsSilent(reply, enough, clock, silenceMs)).toBe(`${name}: ${why}`);
    // Without an established connection there is none to close.
    await expect.poll(() => server.requests.length - server.brokenOff, { timeout: 10_000, interval: 5 }).toBe(0);
  });
});

describe.each(TTS_PROVIDERS)("TTS $name with fallback", { tags: ["tts"] }, ({ name, make }) => {
  const fake = (fault: TtsFault): TtsServer =>
    name === "elevenlabs"
      ? new FakeElevenLabs({ fault })
      : name === "cartesia"
        ? new FakeCartesia({ fault })
        : new FakeOpenAiSpeech({ fault });
  const voice = { elevenlabs: ELEVENLABS_VOICE.voice_id, cartesia: CARTESIA_VOICE.id, openai: "alloy" }[name];
  const cases: readonly [string, TtsFault, number, number, string][] = [
    ["P2: never responds", { kind: "silent" }, 0, PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
    ["P4: sends only pings", { kind: "silent", pings: true }, 0, PROVIDER_FIRST_OUTPUT_MS_MAX, "did not start in time"],
    ["P3: stalls", { kind: "hangs", afterChunks: 3 }, 1, TTS_IDLE_MS_MAX, "stalled"],
  ];
  test.each(cases)("%s: times out", async (_title, fault, enough, silenceMs, why) => {
    const server = await fake(fault).listen();
    const clock = new ManualClock();
    const tts = await make(server.url, clock);
    opened.push(tts, server);
    const fallback = new FallbackTts(
      [{ tts, circuitBreaker: breakerFor("tts", name, clock).circuitBreaker }],
      new TtsCache(),
      clock,
    );
    const request = { text: "Hello there, my friend. How are you today?", voiceId: `${name}/${voice}`, language: "en" };
    const speech = fallback.speak(request, new AbortController().signal);
    expect(await fallsSilent(speech, enough, clock, silenceMs)).toBe(`${name}: ${why}`);
  });
});

describe.each(STT_PROVIDERS.filter(({ isSocket }) => isSocket))("STT $name with fallback", { tags: ["stt"] }, ({
  name,
  make,
}) => {
  const pings: SttServerAction = (socket) => {
    const timer = setInterval(() => socket.ping(), 5);
    socket.on("close", () => clearInterval(timer));
  };
  test.each<[string, SttServerAction]>([
    ["P2: never responds", () => {}],
    ["P4: sends only pings", pings],
    ["P10: never responds, not even to a ping", (socket) => socket.pause()],
  ])("%s, while the caller speaks: the stream fails over", async (_title, greeting) => {
    const server = await SttServer.listen({ greeting });
    const next = await SttServer.listen();
    opened.push(server, next);
    const clock = new ManualClock();
    const abortController = new AbortController();
    const stts = await Promise.all([server, next].map(({ port }) => make(`http://127.0.0.1:${port}`, clock)));
    const candidates = stts.map((stt) => ({ stt, ...breakerFor("stt", name, clock) }));
    const stream = new FallbackStt(candidates, clock).open(
      { language: "en-US", rateHz: 16_000 },
      abortController.signal,
    );
    void stream.events[Symbol.asyncIterator]().next();
    await expect.poll(() => server.seen.length, { timeout: 10_000, interval: 5 }).toBe(1);
    const frames = framesOf(hum(16_000, STT_UNRECOGNIZED_SPEECH_MS_MAX, 0), 16_000);
    for (const [frame, voiced] of frames) stream.write(frame, voiced);
    await expect.poll(() => next.seen.length, { timeout: 10_000, interval: 5 }).toBe(1);
    expect(candidates.map(({ reports }) => reports)).toEqual([["registered", "provider_failed"], ["registered"]]);
    abortController.abort();
  });
});
