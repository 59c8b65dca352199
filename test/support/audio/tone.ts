/** Root mean square of a window below which it counts as silent. */
const SILENT_LEVEL = 200;

/** A tone of `hz` as samples of `rateHz`, `seconds` long, loud and without a beginning or end of its own. */
export const toneOf = (hz: number, seconds: number, rateHz: number, peak = 8_000): Int16Array =>
  Int16Array.from({ length: seconds * rateHz }, (_, n) => peak * Math.sin((2 * Math.PI * hz * n) / rateHz));

/**
 * By how many dB the tone of `hz` stands out in each window of `windowMs`: how much of the window's energy is the tone, by
 * least squares, against the rest. Silent windows have -Infinity.
 */
export function toneSnrDb(samples: Int16Array, hz: number, rateHz: number, windowMs = 20): number[] {
  const length = (rateHz * windowMs) / 1_000;
  const ratios: number[] = [];
  for (let start = 0; start + length <= samples.length; start += length) {
    let [real, imaginary, energy] = [0, 0, 0];
    for (let n = 0; n < length; n += 1) {
      const sample = samples[start + n] as number;
      real += sample * Math.cos((2 * Math.PI * hz * n) / rateHz);
      imaginary += sample * Math.sin((2 * Math.PI * hz * n) / rateHz);
      energy += sample ** 2;
    }
    // Whole periods fit the window, so that both parts are orthogonal.
    const tone = (2 * (real ** 2 + imaginary ** 2)) / length;
    ratios.push(tone === 0 ? Number.NEGATIVE_INFINITY : 10 * Math.log10(tone / Math.max(1, energy - tone)));
  }
  return ratios;
}

/**
 * By how many dB `samples` are like `original`, in each window of 20 ms in which that is not silent: its energy against
 * that of the difference.
 */
export function likenessDb(samples: Int16Array, original: Int16Array, rateHz: number): number[] {
  const length = rateHz / 50;
  const ratios: number[] = [];
  for (let start = 0; start + length <= Math.min(samples.length, original.length); start += length) {
    let [energy, difference] = [0, 0];
    for (let n = start; n < start + length; n += 1) {
      energy += (original[n] as number) ** 2;
      difference += ((original[n] as number) - (samples[n] as number)) ** 2;
    }
    if (energy > length * SILENT_LEVEL ** 2) ratios.push(10 * Math.log10(energy / Math.max(1, difference)));
  }
  return ratios;
}

/** The value below which this share of the values lies. */
export const quantile = (values: readonly number[], share: number): number =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? Number.NaN;
