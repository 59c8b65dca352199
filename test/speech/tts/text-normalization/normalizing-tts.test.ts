import { expect, test } from "vitest";
import type { TtsChunk } from "../../../../src/speech/contracts.ts";
import { TtsCache } from "../../../../src/speech/tts/cache.ts";
import { FallbackTts } from "../../../../src/speech/tts/fallback.ts";
import { ttsContract } from "../../../contract/speech/tts.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { ttsWithBreaker } from "../../../support/providers/breakers.ts";
import { ScriptedTts } from "../../../support/providers/scripted-tts.ts";

const normalizing = (tts: ScriptedTts, clock = new ManualClock()) =>
  new FallbackTts([{ ...ttsWithBreaker("scripted", tts, clock), normalizesText: true }], new TtsCache(), clock);

ttsContract("a TTS with text normalization", async () => {
  const clock = new ManualClock();
  const tts = normalizing(new ScriptedTts(clock, { firstMs: 50, perChunkMs: 5 }), clock);
  return { tts, voiceId: "scripted/one", drive: (promise) => clock.drive(promise) };
});

async function speak(tts: ScriptedTts, text: string): Promise<TtsChunk[]> {
  const chunks: TtsChunk[] = [];
  const request = { text, voiceId: "scripted/one", language: "en-US" };
  for await (const chunk of normalizing(tts).speak(request, new AbortController().signal)) chunks.push(chunk);
  return chunks;
}

test("the TTS speaks the normalized text and reports the words as they were written", async () => {
  const tts = new ScriptedTts(new ManualClock());
  const chunks = await speak(tts, "It costs **$5** today.");
  expect(tts.requests[0]?.text).toBe("It costs 5 dollars today.");
  expect(chunks.flatMap(({ words }) => words.map(({ text }) => text)).join(" ")).toBe("It costs **$5** today.");
});

test("without word timestamps none are reported, and a text with nothing to speak is not requested", async () => {
  const tts = new ScriptedTts(new ManualClock(), { wordTimes: false });
  expect((await speak(tts, "It costs $5.")).flatMap(({ words }) => [...words])).toEqual([]);
  expect(await speak(tts, "---")).toEqual([]);
  expect(tts.requests).toHaveLength(1);
});
