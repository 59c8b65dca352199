import { describe, expect, test } from "vitest";
import { NO_REPLY_TURN_ID } from "../../src/core/ids.ts";
import { HoldAudio } from "../../src/gateway/agent/hold-audio.ts";
import { HoldMelody } from "../../src/media/hold-melody.ts";
import { toneSnrDb } from "../support/audio/tone.ts";
import { heapBytesPerRun } from "../support/heap.ts";

const RATES_HZ = [8_000, 16_000, 24_000, 48_000];
/** 32 beats of 0.4 s. */
const LENGTH_S = 12.8;
const FIRST_NOTE_HZ = 392;

function played(rateHz: number, seconds: number, chunkSamples = rateHz / 50): Int16Array {
  const melody = new HoldMelody(rateHz);
  const samples = new Int16Array(Math.round(seconds * rateHz));
  for (let at = 0; at < samples.length; at += chunkSamples) melody.fill(samples.subarray(at, at + chunkSamples));
  return samples;
}

const rmsOf = (samples: Int16Array): number =>
  Math.sqrt(samples.reduce((sum, each) => sum + each ** 2, 0) / samples.length);

describe("the melody of a hold", () => {
  test.each(RATES_HZ)("is audible, softer than speech, at %i Hz, and begins with its first note", (rateHz) => {
    const samples = played(rateHz, LENGTH_S);
    expect(rmsOf(samples)).toBeGreaterThan(600);
    expect(rmsOf(samples)).toBeLessThan(2_500);
    expect(samples.every((each) => Math.abs(each) < 9_000)).toBe(true);
    const [, first = Number.NaN] = toneSnrDb(samples.subarray(0, rateHz / 4), FIRST_NOTE_HZ, rateHz, 100);
    expect(first).toBeGreaterThan(0);
  });

  test("has sound in each second of it, and no clicks where notes begin", () => {
    const rateHz = 48_000;
    const samples = played(rateHz, LENGTH_S);
    for (let second = 0; second + 1 <= LENGTH_S; second += 1)
      expect(rmsOf(samples.subarray(second * rateHz, (second + 1) * rateHz))).toBeGreaterThan(300);
    // A wave of 660 Hz at full level changes by no more from one sample to the next.
    const step = samples.reduce((most, each, at) => Math.max(most, Math.abs(each - (samples[at - 1] ?? 0))), 0);
    expect(step).toBeLessThan(700);
  });

  test("goes round, without a seam", () => {
    const rateHz = 8_000;
    const samples = played(rateHz, 2 * LENGTH_S + 1);
    const length = LENGTH_S * rateHz;
    const [first, second] = [samples.subarray(0, length), samples.subarray(length, 2 * length)];
    const difference = second.map((each, at) => each - (first[at] ?? 0));
    // The last note of the first round is still to be heard at the beginning of the second.
    expect(rmsOf(difference.subarray(2 * rateHz))).toBeLessThan(5);
  });

  test("is the same for the same calls, and in chunks of any length", () => {
    const whole = played(8_000, 4);
    expect(played(8_000, 4)).toEqual(whole);
    expect(played(8_000, 4, 37)).toEqual(whole);
  });

  test("allocates nothing for a frame", () => {
    for (const codec of ["mulaw", "pcm_s16le"] as const) {
      const audio = new HoldAudio(8_000, codec);
      expect(audio.shift().turnId).toBe(NO_REPLY_TURN_ID);
      let bytes = 0;
      expect(
        heapBytesPerRun(
          () => {
            bytes += audio.shift().bytes.length;
          },
          50,
          2_000,
        ),
      ).toBeLessThan(16);
      expect(bytes).toBeGreaterThan(0);
    }
  });
});
