import { expect, test } from "vitest";
import { A_LAW, MU_LAW } from "../../../src/media/g711.ts";
import { recordedUtterance, synthesise, utteranceOf } from "../../../src/simulator/callers/utterance.ts";
import type { Tts } from "../../../src/speech/contracts.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { ScriptedTts } from "../../support/providers/scripted-tts.ts";

const request = { text: "one two", voiceId: "scripted/one", language: "en-US" };
const A_LAW_LINE = { codec: "alaw", rateHz: 8_000 } as const;
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

/** A TTS that returns a quarter of a second of speech within a second of silence. */
const halfSilent: Tts = {
  provider: "silent",
  capabilities: { wordTimestamps: true },
  voices: async () => [],
  speak: async function* () {
    const samples = new Int16Array(8_000);
    samples.fill(8_000, 2_000, 4_000);
    yield { samples, rateHz: 8_000, words: [{ text: "one", startMs: 250, endMs: 500 }] };
  },
};

test("silence around the speech is removed, and the word times are shifted", async () => {
  const { frames, words } = await synthesise(halfSilent, request, NEVER);
  expect(frames).toHaveLength(13);
  expect(frames[0]?.[0]).toBe(MU_LAW.encodeTable[8_000]);
  expect(frames[12]?.[79]).toBe(MU_LAW.encodeTable[8_000]);
  expect(frames[12]?.[80]).toBe(MU_LAW.silenceByte);
  expect(words).toEqual([{ text: "one", startMs: 0, endMs: 250 }]);
});

test("a TTS that fails rejects", async () => {
  const tts = new ScriptedTts(new ManualClock(), { failing: { request: 0, afterChunks: 1 } });
  await expect(synthesise(tts, request, NEVER)).rejects.toMatchObject({
    code: "provider_failed",
  });
});

test("the frames and their silence are in the transport's codec", async () => {
  const { format, frames } = await synthesise(halfSilent, request, NEVER, A_LAW_LINE);
  expect(format).toBe(A_LAW_LINE);
  expect(frames[0]?.[0]).toBe(A_LAW.encodeTable[8_000]);
  expect(frames[12]?.[80]).toBe(A_LAW.silenceByte);
});

test("audio is used unchanged, including silence, with its name as text", async () => {
  const samples = new Int16Array(200);
  samples.fill(8_000, 170);
  const audio = { samples, rateHz: 8_000 };
  const { text, format, frames, words } = await utteranceOf("[a.wav]", audio, A_LAW_LINE);
  expect({ text, format, words }).toEqual({
    text: "[a.wav]",
    format: A_LAW_LINE,
    words: [{ text: "[a.wav]", startMs: 0, endMs: 25 }],
  });
  const loud = A_LAW.encodeTable[8_000] as number;
  const bytes = [...new Array(170).fill(A_LAW.silenceByte), ...new Array(30).fill(loud)];
  expect(frames.flatMap((frame) => [...frame])).toEqual([...bytes, ...new Array(120).fill(A_LAW.silenceByte)]);
});

test("recorded speech ends with its last voiced frame, and the rest of the recording is its tail", async () => {
  const samples = new Int16Array(800).fill(100);
  samples.fill(8_000, 170, 490);
  const { text, frames, tail, words } = await recordedUtterance("one two", { samples, rateHz: 8_000 }, A_LAW_LINE);
  expect({ text, words, counts: [frames.length, tail?.length] }).toEqual({
    text: "one two",
    words: [{ text: "one two", startMs: 0, endMs: 80 }],
    counts: [4, 1],
  });
  const background = A_LAW.encodeTable[100] as number;
  expect([...(frames[0] ?? []), ...(tail?.[0] ?? [])]).toEqual(new Array(320).fill(background));
});
