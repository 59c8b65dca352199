import { strict as assert } from "node:assert";
import { FRAME_MS } from "../../core/limits/streams/media.ts";

const INPUT_RATE_HZ = 16_000;
const INPUT_SAMPLES = (INPUT_RATE_HZ / 1_000) * FRAME_MS;
const OUTPUT_SAMPLES = INPUT_SAMPLES / 2;

type Coefficients = readonly [
  ...[number, number, number, number, number, number, number],
  ...[number, number, number, number, number, number],
];

/** Coefficients on either side of the middle one that are not zero. */
const PAIRS = 13;
/** The filter is as long on either side of its middle, in input samples. */
const HALF_LENGTH = 2 * PAIRS - 1;
/** Where the middle of output sample 0 is among the odd samples. */
const MIDDLE = (HALF_LENGTH - 1) / 2;
/** Shape of the Kaiser window: aliases are 60 dB down. */
const KAISER_BETA = 5.8;

/** How late a sample leaves the decimator, ms. */
export const HALF_BAND_DELAY_MS = (HALF_LENGTH / INPUT_RATE_HZ) * 1_000;

/**
 * The coefficient of the two samples nearest to the middle, and so on outwards: at distances of 1, 3 .. 25 samples. All
 * of these have the other parity, so that a middle and its neighbours are read from two arrays.
 */
const [c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12] = designed();

/** Samples of the frame before that a frame needs, of each parity. */
const HISTORY_PAIRS = HALF_LENGTH;
const EVEN_SAMPLES = HISTORY_PAIRS + OUTPUT_SAMPLES;
/** Hold one frame and what precedes it while `process` runs; shared by all decimators. */
const even = new Float64Array(EVEN_SAMPLES);
const odd = new Float64Array(EVEN_SAMPLES);
const output = new Int16Array(OUTPUT_SAMPLES);

/**
 * Decimates one stream from 16 to 8 kHz, a frame of FRAME_MS at a time, for detectors: what is below 3.4 kHz keeps its
 * level within 0.1 dB, and what is above 4.6 kHz is at least 60 dB down. It delays by HALF_BAND_DELAY_MS. Its state is
 * 100 bytes.
 */
export class HalfBandDecimator {
  /** The last samples of the frame before, even and odd in turn. */
  readonly #history = new Int16Array(2 * HISTORY_PAIRS);

  /**
   * Takes one frame at 16 kHz, borrowed until it returns, and returns it at 8 kHz: borrowed until any decimator is
   * called. Allocates nothing.
   */
  process(frame: Int16Array): Int16Array {
    if (frame.length !== INPUT_SAMPLES) assert.fail("one frame at 16 kHz");
    split(this.#history, 0);
    split(frame, HISTORY_PAIRS);
    for (let i = 0; i < OUTPUT_SAMPLES; i += 1) {
      // Without a loop this takes half the time; in a function of its own it would leave a number on the heap.
      const sum =
        0.5 * (odd[i + MIDDLE] as number) +
        c0 * ((even[i + 12] as number) + (even[i + 13] as number)) +
        c1 * ((even[i + 11] as number) + (even[i + 14] as number)) +
        c2 * ((even[i + 10] as number) + (even[i + 15] as number)) +
        c3 * ((even[i + 9] as number) + (even[i + 16] as number)) +
        c4 * ((even[i + 8] as number) + (even[i + 17] as number)) +
        c5 * ((even[i + 7] as number) + (even[i + 18] as number)) +
        c6 * ((even[i + 6] as number) + (even[i + 19] as number)) +
        c7 * ((even[i + 5] as number) + (even[i + 20] as number)) +
        c8 * ((even[i + 4] as number) + (even[i + 21] as number)) +
        c9 * ((even[i + 3] as number) + (even[i + 22] as number)) +
        c10 * ((even[i + 2] as number) + (even[i + 23] as number)) +
        c11 * ((even[i + 1] as number) + (even[i + 24] as number)) +
        c12 * ((even[i] as number) + (even[i + 25] as number));
      output[i] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    for (let i = 0; i < 2 * HISTORY_PAIRS; i += 1)
      this.#history[i] = frame[INPUT_SAMPLES - 2 * HISTORY_PAIRS + i] as number;
    return output;
  }
}

/** Writes samples into the two arrays, from an index on. */
function split(samples: Int16Array, at: number): void {
  for (let pair = 0; 2 * pair < samples.length; pair += 1) {
    even[at + pair] = samples[2 * pair] as number;
    odd[at + pair] = samples[2 * pair + 1] as number;
  }
}

/** A half-band low-pass: a sinc under a Kaiser window, scaled so that a constant keeps its level. */
function designed(): Coefficients {
  const coefficients = Float64Array.from({ length: PAIRS }, (_, pair) => {
    const distance = 2 * pair + 1;
    const position = distance / (HALF_LENGTH + 1);
    const window = besselI0(KAISER_BETA * Math.sqrt(1 - position * position)) / besselI0(KAISER_BETA);
    return (Math.sin((Math.PI * distance) / 2) / (Math.PI * distance)) * window;
  });
  const sum = coefficients.reduce((total, coefficient) => total + 2 * coefficient, 0);
  return Array.from(coefficients, (coefficient) => (coefficient * 0.5) / sum) as unknown as Coefficients;
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
