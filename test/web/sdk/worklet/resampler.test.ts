import { describe, expect, test } from "vitest";
import { Resampler } from "../../../../web/sdk/src/worklet/resampler.ts";

const RATES = [
  [48_000, 16_000],
  [44_100, 16_000],
  [24_000, 48_000],
  [24_000, 44_100],
  [16_000, 48_000],
  [8_000, 44_100],
  [96_000, 16_000],
] as const;

const tone = (hz: number, rateHz: number, seconds: number): Float32Array =>
  Float32Array.from({ length: rateHz * seconds }, (_, k) => 0.5 * Math.sin((2 * Math.PI * hz * k) / rateHz));

/** All of `input` through a resampler, in chunks of this length. */
function resampled(input: Float32Array, fromHz: number, toHz: number, chunk = 128): Float32Array {
  const resampler = new Resampler(fromHz, toHz);
  const made: number[] = [];
  const into = new Float32Array(8_192);
  for (let at = 0; at < input.length; at += chunk) {
    resampler.write(input.subarray(at, at + chunk));
    made.push(...into.subarray(0, resampler.read(into)));
  }
  return Float32Array.from(made);
}

const power = (samples: Float32Array): number => samples.reduce((sum, x) => sum + x * x, 0) / samples.length;
const dB = (ratio: number): number => 10 * Math.log10(ratio);

describe("the resampler", () => {
  test.each(RATES)("keeps a tone from %i to %i Hz where it was, at 60 dB", (fromHz, toHz) => {
    const made = resampled(tone(1_000, fromHz, 0.5), fromHz, toHz);
    const wanted = tone(1_000, toHz, 0.5);
    // Before the beginning there is silence, and the end is still in the filter.
    const middle = made.subarray(toHz / 50, -1);
    const error = middle.map((x, k) => x - (wanted[k + toHz / 50] as number));
    expect(made.length).toBeGreaterThan((toHz / 2) * 0.98);
    expect(dB(power(middle) / power(error))).toBeGreaterThan(60);
  });

  test("removes what the lower rate cannot carry", () => {
    for (const hz of [8_200, 10_000, 15_000, 23_000]) {
      const made = resampled(tone(hz, 48_000, 0.5), 48_000, 16_000).subarray(400);
      expect(dB(power(made) / 0.125), `${hz} Hz`).toBeLessThan(-70);
    }
  });

  test("makes no image of a tone where the rate rises", () => {
    const made = resampled(tone(7_000, 24_000, 0.5), 24_000, 48_000);
    const wanted = tone(7_000, 48_000, 0.5);
    const error = made.subarray(960).map((x, k) => x - (wanted[k + 960] as number));
    expect(dB(power(error) / 0.125)).toBeLessThan(-60);
  });

  test("passes most of the band", () => {
    for (const hz of [100, 3_000, 6_000]) {
      const made = resampled(tone(hz, 48_000, 0.5), 48_000, 16_000).subarray(400);
      expect(Math.abs(dB(power(made) / 0.125)), `${hz} Hz`).toBeLessThan(0.1);
    }
  });

  test("changes no sample by the boundaries of chunks", () => {
    const input = tone(440, 44_100, 0.2);
    const whole = resampled(input, 44_100, 16_000, 4_000);
    for (const chunk of [1, 127, 1_000]) expect(resampled(input, 44_100, 16_000, chunk)).toEqual(whole);
  });

  test("passes equal rates unchanged", () => {
    const input = tone(440, 48_000, 0.1);
    const made = resampled(input, 48_000, 48_000);
    expect(made).toEqual(input.subarray(0, made.length));
    expect(made.length).toBe(input.length - 24);
  });

  test.each([...RATES, [48_000, 48_000]] as const)("says how much input it needs from %i to %i Hz", (fromHz, toHz) => {
    const resampler = new Resampler(fromHz, toHz);
    const into = new Float32Array(128);
    let written = 0;
    for (let block = 0; block < 1_000; block += 1) {
      const needed = resampler.needed(into.length);
      written += needed;
      resampler.write(new Float32Array(needed));
      expect(resampler.read(into)).toBe(into.length);
      expect(resampler.needed(0)).toBe(0);
    }
    expect(Math.abs(written - (128_000 * fromHz) / toHz)).toBeLessThan(30 * Math.max(1, fromHz / toHz));
  });
});
