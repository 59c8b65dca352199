// @module-tag tts

import { describe, expect, test } from "vitest";
import { elapsedMs, millisecondsOf, monotonicMs } from "../../../src/core/clocks.ts";
import { providerFailed } from "../../../src/core/errors.ts";
import {
  CIRCUIT_BREAKER_FAILURES_MAX,
  CIRCUIT_BREAKER_PROBE_MS,
} from "../../../src/core/limits/speech-providers/providers.ts";
import { TTS_FIRST_AUDIO_MS_MAX, TTS_WAIT_MS_MAX } from "../../../src/core/limits/speech-providers/tts.ts";
import type { Tts, TtsChunk } from "../../../src/speech/contracts.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";
import { FallbackTts, type TtsCandidate } from "../../../src/speech/tts/fallback.ts";
import { ttsContract } from "../../contract/speech/tts.ts";
import { ManualClock, sleep } from "../../support/manual-clock.ts";
import { ttsWithBreaker } from "../../support/providers/breakers.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

const TEXT = "one two three four five six";
const REQUEST = { text: TEXT, voiceId: "a/one", language: "en-US", rateHz: 8_000 };

for (const afterChunks of [0, 3]) {
  ttsContract(`two providers, of which the first fails after ${afterChunks} chunks`, async () => {
    const clock = new ManualClock();
    const failing = new ScriptedTts(clock, { firstMs: 50, perChunkMs: 5, failing: { request: 0, afterChunks } });
    const voices = [
      ttsWithBreaker("a", failing, clock),
      ttsWithBreaker("b", new ScriptedTts(clock, { firstMs: 50 }), clock),
    ];
    const tts = new FallbackTts(voices, new TtsCache(), clock);
    return { tts, voiceId: "a/one", drive: (promise) => clock.drive(promise) };
  });
}

const ttsOf = (clock: ManualClock, voices: readonly TtsCandidate[]) => new FallbackTts(voices, new TtsCache(), clock);

async function speak(clock: ManualClock, tts: Tts, request = REQUEST) {
  const chunks: TtsChunk[] = [];
  let atMs = Number.NaN;
  const run = async (): Promise<unknown> => {
    try {
      for await (const chunk of tts.speak(request, new AbortController().signal)) {
        if (chunks.length === 0) atMs = millisecondsOf(clock.nowMs());
        chunks.push(chunk);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  };
  const error = await clock.drive(run());
  const words = chunks.flatMap((chunk) => [...chunk.words]);
  const ms = chunks.reduce((sum, { samples, rateHz }) => sum + (samples.length * 1_000) / rateHz, 0);
  return { text: words.map(({ text }) => text).join(" "), words, ms, error, atMs };
}

describe("TTS with fallbacks", () => {
  test("P3: when a provider fails in the middle of a sentence, the next one continues it, and no word is lost", async () => {
    const clock = new ManualClock();
    const second = new ScriptedTts(clock);
    const first = new ScriptedTts(clock, { failing: { request: 0, afterChunks: 2 } });
    const tts = ttsOf(clock, [ttsWithBreaker("a", first, clock), ttsWithBreaker("b", second, clock)]);
    const { text, words, ms, error } = await speak(clock, tts);
    expect([text, error]).toEqual([TEXT, undefined]);
    expect(second.requests).toEqual([{ ...REQUEST, voiceId: "b/one", text: "three four five six" }]);
    // 200 ms of the first, and then the second from its own beginning.
    expect(words[2]).toEqual({ text: "three", startMs: 200, endMs: 350 });
    for (const [index, word] of words.entries())
      expect(word.startMs).toBeGreaterThanOrEqual(words[index - 1]?.endMs ?? 0);
    expect(words.at(-1)?.endMs).toBeLessThanOrEqual(ms);
  });

  test("after a failover the call stays with the new provider", async () => {
    const clock = new ManualClock();
    const first = new ScriptedTts(clock, { failing: { request: 0, afterChunks: 2 } });
    const second = new ScriptedTts(clock);
    const tts = ttsOf(clock, [ttsWithBreaker("a", first, clock), ttsWithBreaker("b", second, clock)]);
    await speak(clock, tts);
    expect((await speak(clock, tts, { ...REQUEST, text: "seven" })).text).toBe("seven");
    expect([first.requests.length, second.requests.length]).toEqual([1, 2]);
  });

  test("without word timestamps the segment is repeated from its beginning", async () => {
    const clock = new ManualClock();
    const first = new ScriptedTts(clock, { wordTimes: false, failing: { request: 0, afterChunks: 2 } });
    const second = new ScriptedTts(clock, { wordTimes: false });
    await speak(clock, ttsOf(clock, [ttsWithBreaker("a", first, clock), ttsWithBreaker("b", second, clock)]));
    expect(second.requests[0]?.text).toBe(TEXT);
  });

  test("P1: a provider that fails before its first audio is retried once", async () => {
    const clock = new ManualClock();
    const only = new ScriptedTts(clock, { failing: { request: 0, afterChunks: 0 } });
    const { text } = await speak(clock, ttsOf(clock, [ttsWithBreaker("a", only, clock)]));
    expect([text, only.requests.length]).toEqual([TEXT, 2]);
  });

  test("P3: if the only provider fails in the middle, the segment fails", async () => {
    const clock = new ManualClock();
    const only = new ScriptedTts(clock, { failing: { request: 0, afterChunks: 1 } });
    const { error } = await speak(clock, ttsOf(clock, [ttsWithBreaker("a", only, clock)]));
    expect(error).toMatchObject({ code: "provider_failed" });
    expect(only.requests).toHaveLength(1);
  });

  test("P2: a provider without a response times out, and the next one speaks", async () => {
    const clock = new ManualClock();
    const silent = new ScriptedTts(clock, { firstMs: 3_600_000 });
    const tts = ttsOf(clock, [ttsWithBreaker("a", silent, clock), ttsWithBreaker("b", new ScriptedTts(clock), clock)]);
    const { text, atMs } = await speak(clock, tts);
    expect([text, atMs]).toEqual([TEXT, TTS_FIRST_AUDIO_MS_MAX]);
  });

  test("P6: a provider that sends audio too slowly is aborted at the limit of the total wait", async () => {
    const clock = new ManualClock();
    const drip: Tts = {
      provider: "scripted",
      capabilities: { wordTimestamps: false },
      voices: async () => [],
      async *speak(_request, signal) {
        while (!signal.aborted) {
          await sleep(clock, 1_000, signal);
          yield { samples: new Int16Array(1), rateHz: 8_000, words: [] };
        }
      },
    };
    const { error } = await speak(clock, ttsOf(clock, [ttsWithBreaker("a", drip, clock)]));
    expect(error).toMatchObject({ code: "provider_failed", message: "a: stalled" });
    expect(clock.nowMs()).toBe(TTS_WAIT_MS_MAX);
  });

  test("a provider at its stream limit is skipped, and the next one that speaks the call's language is used", async () => {
    const clock = new ManualClock();
    const full = ttsWithBreaker("a", new ScriptedTts(clock), clock, 0);
    const languages = ["fr", "de-AT", "en-US"].map((language) => ({
      id: `scripted/${language}`,
      name: language,
      language,
      provider: "scripted",
    }));
    const [french, all] = [languages.slice(0, 1), languages].map((voices) => new ScriptedTts(clock, { voices }));
    const chain = [
      full,
      ttsWithBreaker("b", french as ScriptedTts, clock),
      ttsWithBreaker("c", all as ScriptedTts, clock),
    ];
    const { text } = await speak(clock, ttsOf(clock, chain), { ...REQUEST, language: "de-DE" });
    expect([text, french?.requests.length, all?.requests[0]?.voiceId]).toEqual([TEXT, 0, "c/de-AT"]);
  });

  test("a provider without a voice for the call's language does not shorten the timeout of the only one that has one", async () => {
    const clock = new ManualClock();
    const french = [{ id: "scripted/fr", name: "fr", language: "fr", provider: "scripted" }];
    const slow = new ScriptedTts(clock, { firstMs: TTS_FIRST_AUDIO_MS_MAX + 1_000 });
    const other = new ScriptedTts(clock, { voices: french });
    const { text, atMs } = await speak(
      clock,
      ttsOf(clock, [ttsWithBreaker("a", slow, clock), ttsWithBreaker("b", other, clock)]),
    );
    expect([text, atMs, other.requests]).toEqual([TEXT, TTS_FIRST_AUDIO_MS_MAX + 1_000, []]);
  });

  test("a provider that does not list its voices delays no segment and does not count as a fallback", async () => {
    const clock = new ManualClock();
    const unlisted: TtsCandidate = ttsWithBreaker("b", new ScriptedTts(clock), clock);
    const hanging = { ...unlisted, tts: { ...unlisted.tts, voices: () => new Promise<never>(() => {}) } };
    const prompt = await speak(clock, ttsOf(clock, [ttsWithBreaker("a", new ScriptedTts(clock), clock), hanging]));
    expect(prompt.text).toBe(TEXT);
    expect(prompt.atMs).toBeLessThan(20);
    const slow = ttsWithBreaker("a", new ScriptedTts(clock, { firstMs: TTS_FIRST_AUDIO_MS_MAX + 1_000 }), clock);
    expect((await speak(clock, ttsOf(clock, [slow, hanging]))).text).toBe(TEXT);
  });

  test("cached audio is played although the circuit breaker is open or no stream is free, and uses up no probe", async () => {
    const clock = new ManualClock();
    const cache = new TtsCache();
    const inner = new ScriptedTts(clock);
    const voice = ttsWithBreaker("a", inner, clock);
    for (let call = 0; call < 2; call += 1) await speak(clock, new FallbackTts([voice], cache, clock));
    for (let failure = 0; failure < CIRCUIT_BREAKER_FAILURES_MAX; failure += 1) {
      voice.circuitBreaker.tryAcquire()?.failed(providerFailed("a", "failed as scripted"));
    }
    const startMs = clock.nowMs();
    const whileOpen = await speak(clock, new FallbackTts([voice], cache, clock));
    expect([whileOpen.text, whileOpen.error]).toEqual([TEXT, undefined]);
    expect(elapsedMs(startMs, monotonicMs(whileOpen.atMs))).toBeLessThan(20);
    await clock.play(CIRCUIT_BREAKER_PROBE_MS);
    expect((await speak(clock, new FallbackTts([voice], cache, clock))).text).toBe(TEXT);
    expect([inner.requests.length, voice.circuitBreaker.isAvailable]).toEqual([2, true]);
  });

  test("cached audio is played without a stream, in the same voice, and the cached copy does not change", async () => {
    const clock = new ManualClock();
    const inner = new ScriptedTts(clock);
    const cache = new TtsCache();
    const voice = ttsWithBreaker("a", inner, clock, 1);
    const results = [];
    for (let call = 0; call < 4; call += 1) {
      const { text, ms } = await speak(clock, new FallbackTts([voice], cache, clock));
      results.push([text, ms]);
    }
    expect(new Set(results.map(String)).size).toBe(1);
    expect(inner.requests).toHaveLength(2);
    expect(voice.circuitBreaker.isAvailable).toBe(true);
  });

  test("audio that its reader aborted, or that broke off, is not cached", async () => {
    const clock = new ManualClock();
    const inner = new ScriptedTts(clock, { failing: { request: 2, afterChunks: 2 } });
    const cache = new TtsCache();
    const tts = new FallbackTts([ttsWithBreaker("a", inner, clock)], cache, clock);
    await speak(clock, tts);
    const abortController = new AbortController();
    for await (const _ of tts.speak(REQUEST, abortController.signal)) abortController.abort();
    await speak(clock, tts);
    expect([inner.requests.length, cache.bytes]).toEqual([3, 0]);
    await speak(clock, tts);
    expect(cache.bytes).toBeGreaterThan(0);
  });
});
