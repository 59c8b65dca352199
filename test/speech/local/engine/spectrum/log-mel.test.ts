import { expect, test } from "vitest";
import { logMel, MEL_RATE_HZ } from "../../../../../src/speech/local/engine/spectrum/log-mel.ts";
import { PowerSpectrum } from "../../../../../src/speech/local/engine/spectrum/power-spectrum.ts";
import { Random } from "../../../../support/random.ts";

test.each([2, 10, 16, 40, 400])("a power spectrum of %i samples is the sum by its definition", (size) => {
  const random = new Random(size);
  const samples = Float64Array.from({ length: size }, () => random.between(-1, 1));
  const power = new Float64Array(size / 2 + 1);
  new PowerSpectrum(size).write(samples, power);
  for (let k = 0; k <= size / 2; k += 1) {
    const sum = (wave: (angle: number) => number): number =>
      samples.reduce((total, sample, i) => total + sample * wave((2 * Math.PI * k * i) / size), 0);
    expect(power[k]).toBeCloseTo(sum(Math.cos) ** 2 + sum(Math.sin) ** 2, 9);
  }
});

/** Two waves, one with a rising pitch, and noise of a congruential generator: the same samples in any language. */
function signal(length: number): Float32Array {
  let state = 1;
  return Float32Array.from({ length }, (_, i) => {
    state = (state * 16_807) % 2_147_483_647;
    const t = i / MEL_RATE_HZ;
    const waves = 0.3 * Math.sin(2 * Math.PI * 220 * t) + 0.2 * Math.sin(2 * Math.PI * 1_500 * t * (1 + t / 4));
    return waves + 0.05 * (state / 2_147_483_647 - 0.5);
  });
}

// Computed with NumPy (its FFT, and the formulas of Hugging Face's WhisperFeatureExtractor): [mel bin, frame, value].
test.each([
  {
    samples: 8_000,
    sum: -1406.211,
    values: [
      [0, 0, 1.051436],
      [0, 99, -0.695815],
      [10, 25, -0.014256],
      [22, 49, 0.264808],
      [40, 50, 0.709979],
      [40, 51, 0.100961],
      [41, 60, -0.695815],
      [79, 30, 0.239425],
    ],
  },
  {
    samples: 16_000,
    sum: 2427.782,
    values: [
      [0, 0, 1.051436],
      [0, 99, 0.491538],
      [22, 49, 0.274665],
      [40, 50, 0.267159],
      [60, 70, 0.228518],
      [79, 99, 0.204815],
      [5, 98, 1.303651],
    ],
  },
])("the log-mel spectrum of $samples samples in a second has the values of another implementation", ({
  samples,
  sum,
  values,
}) => {
  const spectrum = logMel(signal(samples), 100);
  expect(spectrum).toHaveLength(80 * 100);
  for (const [bin = 0, frame = 0, value = 0] of values) expect(spectrum[bin * 100 + frame]).toBeCloseTo(value, 5);
  expect(spectrum.reduce((total, value) => total + value, 0)).toBeCloseTo(sum, 1);
});

test("silence has one value everywhere", () => {
  expect(new Set(logMel(new Float32Array(0), 50))).toEqual(new Set([-1.5]));
});
