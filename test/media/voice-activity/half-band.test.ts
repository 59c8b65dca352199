import { describe, expect, test } from "vitest";
import { HALF_BAND_DELAY_MS, HalfBandDecimator } from "../../../src/media/voice-activity/half-band.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

const FRAME = 320;
const FULL_SCALE = 32_000;

/** The output for a signal of 16 kHz, a function of the sample's number, in frames of 20 ms. */
function decimated(signal: (i: number) => number, frames: number): Int16Array {
  const decimator = new HalfBandDecimator();
  const whole = new Int16Array((frames * FRAME) / 2);
  for (let frame = 0; frame < frames; frame += 1) {
    const samples = Int16Array.from({ length: FRAME }, (_, i) => Math.round(signal(frame * FRAME + i)));
    whole.set(decimator.process(samples), (frame * FRAME) / 2);
  }
  return whole;
}

const tone =
  (hz: number) =>
  (i: number): number =>
    FULL_SCALE * Math.sin((2 * Math.PI * hz * i) / 16_000);

/** The level of a tone after the decimator, dB; the beginning is left out. */
function levelDb(hz: number): number {
  const settled = decimated(tone(hz), 52).subarray(2 * 160);
  const power = settled.reduce((sum, sample) => sum + sample * sample, 0) / settled.length;
  return 10 * Math.log10((2 * power) / FULL_SCALE ** 2);
}

describe("decimation from 16 to 8 kHz", () => {
  test.each([100, 300, 1_000, 2_000, 3_000, 3_400])("keeps a tone of %d Hz within 0.1 dB", (hz) => {
    expect(Math.abs(levelDb(hz))).toBeLessThan(0.1);
  });

  test.each([4_600, 4_800, 5_000, 5_500, 6_000, 6_999, 7_900])("takes 60 dB off a tone of %d Hz", (hz) => {
    expect(levelDb(hz)).toBeLessThan(-60);
  });

  test("delays by what it says", () => {
    const delaySamples = (HALF_BAND_DELAY_MS / 1_000) * 16_000;
    const output = decimated(tone(500), 10).subarray(160);
    const expected = Array.from(output, (_, i) => Math.round(tone(500)(2 * (160 + i) - delaySamples)));
    for (const [i, sample] of output.entries()) expect(Math.abs(sample - (expected[i] as number))).toBeLessThan(4);
    expect(HALF_BAND_DELAY_MS).toBeLessThan(2);
  });

  test("does not overflow at full scale, and keeps a constant", () => {
    expect(decimated(() => -32_768, 3).subarray(160)).toEqual(new Int16Array(320).fill(-32_768));
    // A low-pass makes a square overshoot: without the limits samples would wrap around and change their sign.
    const square = decimated((i) => (i % 320 < 160 ? 32_767 : -32_768), 10).subarray(160);
    for (let i = 1; i < square.length; i += 1) {
      const isEdge = Math.sign(square[i] as number) !== Math.sign(square[i - 1] as number);
      if (isEdge) expect(i % 80).toBe(13);
    }
  });

  test("streams do not affect each other, and a frame allocates nothing", () => {
    const [one, other] = [new HalfBandDecimator(), new HalfBandDecimator()];
    const frame = Int16Array.from({ length: FRAME }, (_, i) => (i * 37) % 2_000);
    const alone = new HalfBandDecimator();
    for (let i = 0; i < 3; i += 1) {
      other.process(new Int16Array(FRAME).fill(20_000));
      expect(one.process(frame).slice()).toEqual(alone.process(frame).slice());
    }
    expect(heapBytesPerRun(() => one.process(frame), 1_000)).toBeLessThan(1);
  });

  test("a frame of another length fails an assertion", () => {
    expect(() => new HalfBandDecimator().process(new Int16Array(160))).toThrow("one frame at 16 kHz");
  });
});
