import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { TTS_CACHE_TEXT_CHARS_MAX } from "../../../src/core/limits/tts.ts";
import type { TtsChunk, TtsRequest } from "../../../src/speech/contracts.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";

const REQUEST: TtsRequest = { text: "Good morning.", voiceId: "a/one", language: "en", rateHz: 8_000 };

/** A voice that counts how often it speaks, 1,000 bytes each time, in two chunks. */
function voice(fails = false) {
  const made = { times: 0 };
  async function* make(): AsyncGenerator<TtsChunk> {
    made.times += 1;
    yield { samples: new Int16Array(250).fill(made.times), rateHz: 8_000, words: [] };
    if (fails) throw providerFailed("a", "failed as scripted");
    yield {
      samples: new Int16Array(250).fill(made.times),
      rateHz: 8_000,
      words: [{ text: "x", startMs: 0, endMs: 1 }],
    };
  }
  return { make, made };
}

async function heard(cache: TtsCache, request: TtsRequest, make: () => AsyncIterable<TtsChunk>) {
  const chunks: TtsChunk[] = [];
  for await (const chunk of cache.speak(request, make, new AbortController().signal)) chunks.push(chunk);
  return chunks;
}

test("what is asked for a second time is kept, and given from then on, to each his own", async () => {
  const cache = new TtsCache();
  const { make, made } = voice();
  await heard(cache, REQUEST, make);
  expect(cache.bytes).toBe(0);
  const second = await heard(cache, REQUEST, make);
  expect(cache.bytes).toBe(1_000);
  second[0]?.samples.fill(0);
  const third = await heard(cache, REQUEST, make);
  third[0]?.samples.fill(0);
  const fourth = await heard(cache, REQUEST, make);
  expect([made.times, fourth.map(({ samples }) => samples[0])]).toEqual([2, [2, 2]]);
  expect(fourth.flatMap(({ words }) => [...words])).toEqual([{ text: "x", startMs: 0, endMs: 1 }]);
});

test("another voice, language, rate or text is another speech", async () => {
  const cache = new TtsCache();
  const { make, made } = voice();
  const others = [{}, { voiceId: "a/two" }, { language: "de" }, { rateHz: 16_000 }, { text: "Good evening." }];
  for (let time = 0; time < 3; time += 1)
    for (const other of others) await heard(cache, { ...REQUEST, ...other }, make);
  expect(made.times).toBe(2 * others.length);
});

test("what did not come whole is not kept, nor is what is too long", async () => {
  const cache = new TtsCache();
  const broken = voice(true);
  for (let time = 0; time < 3; time += 1) await expect(heard(cache, REQUEST, broken.make)).rejects.toThrow("scripted");
  const { make, made } = voice();
  const life = new AbortController();
  for await (const _ of cache.speak(REQUEST, make, life.signal)) life.abort();
  const long = { ...REQUEST, text: "a".repeat(TTS_CACHE_TEXT_CHARS_MAX + 1) };
  for (let time = 0; time < 3; time += 1) await heard(cache, long, make);
  expect([cache.bytes, broken.made.times, made.times]).toEqual([0, 3, 4]);
});

test("its memory is bounded: what was used longest ago goes first", async () => {
  const cache = new TtsCache(2_500);
  const { make, made } = voice();
  const ask = (text: string) => heard(cache, { ...REQUEST, text }, make);
  for (const text of ["a", "a", "b", "b", "a", "c", "c"]) await ask(text);
  expect([cache.bytes, made.times]).toEqual([2_000, 6]);
  await ask("a");
  expect(made.times).toBe(6);
  await ask("b");
  expect(made.times).toBe(7);
});
