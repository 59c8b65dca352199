import { afterAll, describe, expect, test } from "vitest";
import { systemClock } from "../../../../../src/core/clock.ts";
import { TURN_TEXT_CHARS_MAX } from "../../../../../src/core/limits/calls/calls.ts";
import type { TtsChunk } from "../../../../../src/speech/contracts.ts";
import { listLanguages } from "../../../../../src/speech/languages.ts";
import { createEspeak } from "../../../../../src/speech/tts/providers/espeak/adapter.ts";
import { ttsContract } from "../../../../contract/speech/tts.ts";
import { ANY_STT } from "../../../../support/api/any-stt.ts";

const tts = createEspeak({ children: 1, clock: systemClock });
afterAll(() => tts.close());

ttsContract("espeak", async () => ({ tts, voiceId: "espeak/gmw/en-US", drive: (promise) => promise }));

async function spoken(text: string, voiceId = "espeak/gmw/en-US", signal = new AbortController().signal) {
  const chunks: TtsChunk[] = [];
  for await (const chunk of tts.speak({ text, voiceId, language: "en-US" }, signal)) chunks.push(chunk);
  const samples = chunks.reduce((sum, chunk) => sum + chunk.samples.length, 0);
  return { chunks, words: chunks.flatMap((chunk) => [...chunk.words]), durationMs: (samples * 1_000) / 22_050 };
}

describe("eSpeak", () => {
  test("offers 140 voices, in over 50 languages and by region", async () => {
    const voices = await tts.voices();
    expect(voices).toHaveLength(140);
    expect(voices).toContainEqual({
      id: "espeak/gmw/en-US",
      name: "English (America)",
      language: "en-US",
      provider: "espeak",
    });
    const languages = listLanguages(voices, ANY_STT);
    expect(languages.filter(({ code }) => !code.includes("-")).length).toBeGreaterThan(100);
    expect(languages.map(({ code }) => code)).toEqual(expect.arrayContaining(["en", "en-US", "de", "pt-BR", "zh"]));
  });

  test("speaks at a natural pace, at 22,050 Hz, with the first audio ahead of the rest", async () => {
    const { chunks, words, durationMs } = await spoken("The quick brown fox jumps over the lazy dog.");
    expect(chunks[0]?.rateHz).toBe(22_050);
    expect(chunks[0]?.samples.length).toBeLessThanOrEqual(2_206);
    const wordsPerMinute = (words.length * 60_000) / durationMs;
    expect(wordsPerMinute).toBeGreaterThan(120);
    expect(wordsPerMinute).toBeLessThan(220);
  });

  test("a word ends with its sound, not after the following pause", async () => {
    const { words } = await spoken("Well, that is it.");
    const [well, that] = words;
    expect((that?.startMs ?? 0) - (well?.endMs ?? 0)).toBeGreaterThan(60);
  });

  test.each([
    ["espeak/zlw/pl", "Zażółć gęślą jaźń, proszę pana."],
    ["espeak/zle/ru", "Здравствуйте, чем я могу вам помочь?"],
    ["espeak/sit/cmn", "你好， 我能帮你什么吗？"],
    ["espeak/sem/ar", "مرحبا كيف يمكنني مساعدتك اليوم"],
    ["espeak/inc/hi", "नमस्ते, मैं आपकी कैसे मदद कर सकता हूँ"],
    ["espeak/gmw/en-US", 'Of the "5 < 6" & <b>bold</b> [[x]], \u0001 — 🙂 $12.50 ... e.g. the U.S.A.'],
  ])("%s places the words of %s", async (voiceId, text) => {
    const { words, durationMs } = await spoken(text, voiceId);
    expect(words.map((word) => word.text)).toEqual(text.split(/\s+/));
    expect(words.at(-1)?.endMs).toBeLessThanOrEqual(durationMs + 1);
    expect(durationMs).toBeGreaterThan(1_000);
  });

  test("does not execute SSML in a text", async () => {
    const plain = await spoken("one two");
    const marked = await spoken('one <break time="9s"/> two');
    expect(marked.durationMs).toBeLessThan(plain.durationMs + 4_000);
  });

  test("a text without sounds yields its words without audio", async () => {
    expect((await spoken("... —")).words.map((word) => word.text)).toEqual(["...", "—"]);
    expect((await spoken("  ")).words).toEqual([]);
  });

  test("an abort frees the program at once, however long the text", async () => {
    const long = "This is a sentence of a speech that is aborted before its end. ".repeat(200);
    const timeMs = async (task: () => Promise<unknown>): Promise<number> => {
      const startMs = performance.now();
      await task();
      return performance.now() - startMs;
    };
    const wholeMs = await timeMs(() => spoken(long));
    const life = new AbortController();
    const cutMs = await timeMs(async () => {
      const request = { text: long, voiceId: "espeak/gmw/en-US", language: "en-US" };
      for await (const _ of tts.speak(request, life.signal)) life.abort();
      await spoken("Next.");
    });
    expect(cutMs).toBeLessThan(wholeMs / 3);
  });

  test("refuses an unknown voice and a text over the length limit", async () => {
    await expect(spoken("hello", "espeak/gmw/xx")).rejects.toMatchObject({ code: "provider_failed" });
    await expect(spoken("hello", "gmw/en-US")).rejects.toMatchObject({ code: "provider_failed" });
    await expect(spoken("x".repeat(TURN_TEXT_CHARS_MAX + 1))).rejects.toMatchObject({ code: "provider_failed" });
  });
});
