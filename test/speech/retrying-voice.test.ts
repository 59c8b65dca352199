import { expect, test } from "vitest";
import { withRetry } from "../../src/speech/retrying-voice.ts";
import { ttsContract } from "../contract/tts-contract.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { ScriptedTts } from "../support/scripted-tts.ts";

const REQUEST = { text: "Hello there my friend.", voiceId: "scripted/one", language: "en-US" };

ttsContract("with a retry", async () => {
  const clock = new ManualClock();
  const tts = withRetry(new ScriptedTts(clock, { firstMs: 50, perChunkMs: 5 }));
  return { tts, voiceId: "scripted/one", drive: (promise) => clock.drive(promise) };
});

async function speak(tts: ScriptedTts): Promise<number> {
  let chunks = 0;
  for await (const _chunk of withRetry(tts).speak(REQUEST, new AbortController().signal)) chunks += 1;
  return chunks;
}

test("a piece that failed before any audio came is asked for once more", async () => {
  const tts = new ScriptedTts(new ManualClock(), { failing: { request: 0, afterChunks: 0 } });
  expect(await speak(tts)).toBeGreaterThan(1);
  expect(tts.requests).toHaveLength(2);
});

test("a piece of which audio came is not said again from its beginning", async () => {
  const tts = new ScriptedTts(new ManualClock(), { failing: { request: 0, afterChunks: 1 } });
  await expect(speak(tts)).rejects.toMatchObject({ code: "provider_failed" });
  expect(tts.requests).toHaveLength(1);
});
