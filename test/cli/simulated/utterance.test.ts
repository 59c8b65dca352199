import { expect, test } from "vitest";
import { synthesise } from "../../../src/cli/simulated/utterance.ts";
import { MU_LAW } from "../../../src/media/g711.ts";
import type { Tts } from "../../../src/speech/speech.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedTts } from "../../support/scripted-tts.ts";

const request = { text: "one two", voiceId: "scripted/one", language: "en-US" };
const NEVER = new AbortController().signal;

test("speech becomes whole frames of mu-law", async () => {
  const { text, frames, words } = await synthesise(new ScriptedTts(new ManualClock()), request, NEVER);
  // Two words of 90 ms and a gap of 20 ms between them.
  expect({ text, frames: frames.length, samples: new Set(frames.map((frame) => frame.length)) }).toEqual({
    text: "one two",
    frames: 10,
    samples: new Set([160]),
  });
  expect(words.map((word) => word.text)).toEqual(["one", "two"]);
});

test("the silence around the voice is left out, and the words move with it", async () => {
  const samples = new Int16Array(8_000);
  samples.fill(8_000, 2_000, 4_000);
  const tts: Tts = {
    provider: "silent",
    capabilities: { wordTimes: true },
    voices: async () => [],
    speak: async function* () {
      yield { samples, rateHz: 8_000, words: [{ text: "one", startMs: 250, endMs: 500 }] };
    },
  };
  const { frames, words } = await synthesise(tts, request, NEVER);
  expect(frames).toHaveLength(13);
  expect(frames[0]?.[0]).toBe(MU_LAW.encodeTable[8_000]);
  expect(frames[12]?.[79]).toBe(MU_LAW.encodeTable[8_000]);
  expect(frames[12]?.[80]).toBe(MU_LAW.silenceByte);
  expect(words).toEqual([{ text: "one", startMs: 0, endMs: 250 }]);
});

test("a voice that fails rejects", async () => {
  const tts = new ScriptedTts(new ManualClock(), { failing: { request: 0, afterChunks: 1 } });
  await expect(synthesise(tts, request, NEVER)).rejects.toMatchObject({
    code: "provider_failed",
  });
});
