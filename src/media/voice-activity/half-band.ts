import { strict as assert } from "node:assert";
import { FRAME_MS } from "../../core/limits/media.ts";

const INPUT_RATE_HZ = 16_000;
const INPUT_SAMPLES = (INPUT_RATE_HZ / 1_000) * FRAME_MS;
const OUTPUT_SAMPLES = INPUT_SAMPLES / 2;

/** Coefficients on either side of the middle one that are not zero. */
const PAIRS = 13;
/** The filter is as long on either side of its middle, in input samples. */
const HALF_LENGTH = 2 * PAIRS - 1;
const HISTORY_SAMPLES = 2 * HALF_LENGTH;
/** Shape of the Kaiser window: aliases are 70 dB down. */
const KAISER_BETA = 6.8;

/** How late a sample leaves the decimator, ms. */
export const HALF_BAND_DELAY_MS = (HALF_LENGTH / INPUT_RATE_HZ) * 1_000;

/** `COEFFICIENTS[i]` is that of the two samples at a distance of 2i + 1 from the middle, whose own is 0.5. */
const COEFFICIENTS = designed();

/** Holds one frame and what precedes it while `process` runs; shared by all decimators. */
const work = new Float64Array(HISTORY_SAMPLES + INPUT_SAMPLES);
const output = new Int16Array(OUTPUT_SAMPLES);

/**
 * Decimates one stream from 16 to 8 kHz, a frame of FRAME_MS at a time, for detectors: what is below 3.4 kHz keeps its
 * level within 0.1 dB, and what is above 4.6 kHz is at least 60 dB down. It delays by HALF_BAND_DELAY_MS. Its state is
 * 100 bytes.
 */
export class HalfBandDecimator {
  /** The last samples of the frame before. */
  readonly #history = new Int16Array(HISTORY_SAMPLES);

  /**
   * Takes one frame at 16 kHz, borrowed until it returns, and returns it at 8 kHz: borrowed until any decimator is
   * called. Allocates nothing.
   */
  process(frame: Int16Array): Int16Array {
    if (frame.length !== INPUT_SAMPLES) assert.fail("one frame at 16 kHz");
    work.set(this.#history);
    work.set(frame, HISTORY_SAMPLES);
    for (let i = 0; i < OUTPUT_SAMPLES; i += 1) {
      const middle = HALF_LENGTH + 2 * i;
      let sum = 0.5 * (work[middle] as number);
      for (let pair = 0; pair < PAIRS; pair += 1) {
        const distance = 2 * pair + 1;
        const both = (work[middle - distance] as number) + (work[middle + distance] as number);
        sum += (COEFFICIENTS[pair] as number) * both;
      }
      output[i] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    for (let i = 0; i < HISTORY_SAMPLES; i += 1) this.#history[i] = work[INPUT_SAMPLES + i] as number;
    return output;
  }
}

/** A half-band low-pass: a sinc under a Kaiser window, scaled so that a constant keeps its level. */
function designed(): Float64Array {
  const coefficients = Float64Array.from({ length: PAIRS }, (_, pair) => {
    const distance = 2 * pair + 1;
    const position = distance / (HALF_LENGTH + 1);
    const window = besselI0(KAISER_BETA * Math.sqrt(1 - position * position)) / besselI0(KAISER_BETA);
    return (Math.sin((Math.PI * distance) / 2) / (Math.PI * distance)) * window;
  });
  const sum = coefficients.reduce((total, coefficient) => total + 2 * coefficient, 0);
  return coefficients.map((coefficient) => (coefficient * 0.5) / sum);
}

/** The modified Bessel function of order 0, by its series. */
function besselI0(x: number): number {
  let term = 1;
  let sum = 1;
  for (let k = 1; term > sum * Number.EPSILON; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
