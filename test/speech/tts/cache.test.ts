import { expect, test } from "vitest";
import { providerFailed } from "../../../src/core/errors.ts";
import { TTS_CACHE_TEXT_CHARS_MAX } from "../../../src/core/limits/speech-providers/tts.ts";
import type { TtsChunk, TtsRequest } from "../../../src/speech/contracts.ts";
import { TtsCache } from "../../../src/speech/tts/cache.ts";

const REQUEST: TtsRequest = { text: "Good morning.", voiceId: "a/one", language: "en", rateHz: 8_000 };

/** A TTS that counts its requests and yields 1,000 bytes each time, in two chunks. */
function countingTts(fails = false) {
  const requests = { count: 0 };
  async function* synthesize(): AsyncGenerator<TtsChunk> {
    requests.count += 1;
    yield { samples: new Int16Array(250).fill(requests.count), rateHz: 8_000, words: [] };
    if (fails) throw providerFailed("a", "failed as scripted");
    yield {
      samples: new Int16Array(250).fill(requests.count),
      rateHz: 8_000,
      words: [{ text: "x", startMs: 0, endMs: 1 }],
    };
  }
  return { synthesize, requests };
}

/** Reads the cached audio of `request`, else that of `synthesize`, which is cached if it is complete. */
async function speak(cache: TtsCache, request: TtsRequest, synthesize: () => AsyncIterable<TtsChunk>) {
  const cached = cache.get(request);
  if (cached !== undefined) return [...cached];
  const collector = cache.collect(request);
  const chunks: TtsChunk[] = [];
  for await (const chunk of synthesize()) {
    collector?.add(chunk);
    chunks.push(chunk);
  }
  collector?.complete();
  return chunks;
}

test("a text is cached at its second request, and each later request gets copies of its own", async () => {
  const cache = new TtsCache();
  const { synthesize, requests } = countingTts();
  await speak(cache, REQUEST, synthesize);
  expect(cache.bytes).toBe(0);
  const second = await speak(cache, REQUEST, synthesize);
  expect(cache.bytes).toBe(1_000);
  second[0]?.samples.fill(0);
  const third = await speak(cache, REQUEST, synthesize);
  third[0]?.samples.fill(0);
  const fourth = await speak(cache, REQUEST, synthesize);
  expect([requests.count, fourth.map(({ samples }) => samples[0])]).toEqual([2, [2, 2]]);
  expect(fourth.flatMap(({ words }) => [...words])).toEqual([{ text: "x", startMs: 0, endMs: 1 }]);
});

test("another voice, language, rate or text is another entry", async () => {
  const cache = new TtsCache();
  const { synthesize, requests } = countingTts();
  const others = [{}, { voiceId: "a/two" }, { language: "de" }, { rateHz: 16_000 }, { text: "Good evening." }];
  for (let time = 0; time < 3; time += 1)
    for (const other of others) await speak(cache, { ...REQUEST, ...other }, synthesize);
  expect(requests.count).toBe(2 * others.length);
});

test("incomplete audio and texts over the length limit are not cached", async () => {
  const cache = new TtsCache();
  const failing = countingTts(true);
  for (let time = 0; time < 3; time += 1)
    await expect(speak(cache, REQUEST, failing.synthesize)).rejects.toThrow("scripted");
  const { synthesize, requests } = countingTts();
  const abandoned = cache.collect(REQUEST);
  for await (const chunk of synthesize()) abandoned?.add(chunk);
  const long = { ...REQUEST, text: "a".repeat(TTS_CACHE_TEXT_CHARS_MAX + 1) };
  for (let time = 0; time < 3; time += 1) await speak(cache, long, synthesize);
  expect([cache.bytes, failing.requests.count, requests.count]).toEqual([0, 3, 4]);
});

test("its memory is bounded: the least recently used entry is evicted", async () => {
  const cache = new TtsCache(2_500);
  const { synthesize, requests } = countingTts();
  const request = (text: string) => speak(cache, { ...REQUEST, text }, synthesize);
  for (const text of ["a", "a", "b", "b", "a", "c", "c"]) await request(text);
  expect([cache.bytes, requests.count]).toEqual([2_000, 6]);
  await request("a");
  expect(requests.count).toBe(6);
  await request("b");
  expect(requests.count).toBe(7);
});
