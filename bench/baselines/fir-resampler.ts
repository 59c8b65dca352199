import { strict as assert } from "node:assert";
import type { Resampler, ResamplerFactory } from "../../src/media/resampler.ts";

// What a resampler costs that is written down in plain JavaScript: a polyphase FIR filter, windowed after Kaiser (A. V. Oppenheim,
// R. W. Schafer, Discrete-Time Signal Processing, 7.5.3). It passes the same acceptance suite, so that like is compared with like.

/** Of the lower rate's Nyquist frequency: what is below the first passes, what is above the second is taken out. */
const PASS = 0.85;
const STOP = 1.15;
/** How far it is taken out. */
const STOP_DB = 90;
const BETA = 0.1102 * (STOP_DB - 8.7);
/** Half the filter's length, in samples of the lower rate: 2.5 ms at 8 kHz. */
const HALF_SAMPLES = Math.ceil((STOP_DB - 8) / (2.285 * Math.PI * (STOP - PASS)) / 2);
/** Longer input is processed in several blocks. */
const BLOCK_SAMPLES = 2_048;

/** The filter of one pair of rates: `taps` weights for each of `phases` places between two samples of the input. */
interface Filter {
  weights: Float64Array;
  taps: number;
  phases: number;
  /** From one sample of the output to the next: so many samples of the input, and so many phases. */
  stepSamples: number;
  stepPhases: number;
}

/** Makes resamplers that share one filter for each pair of rates. */
export function firResamplerFactory(): ResamplerFactory {
  const filters = new Map<string, Filter>();
  return (fromHz, toHz) => {
    assert.notEqual(fromHz, toHz, "two different rates");
    const key = `${fromHz} ${toHz}`;
    const filter = filters.get(key) ?? designFilter(fromHz, toHz);
    filters.set(key, filter);
    return new FirResampler(filter, toHz / fromHz);
  };
}

class FirResampler implements Resampler {
  readonly #filter: Filter;
  readonly #ratio: number;
  /** What the next sample of the output needs, from its first tap on, and the input after it. */
  readonly #line: Float64Array;
  #filled = 0;
  #phase = 0;
  #output = new Int16Array(0);
  #isDestroyed = false;

  constructor(filter: Filter, ratio: number) {
    this.#filter = filter;
    this.#ratio = ratio;
    this.#line = new Float64Array(filter.taps + BLOCK_SAMPLES);
    this.#begin();
  }

  process(samples: Int16Array): Int16Array {
    assert.ok(!this.#isDestroyed, "destroyed");
    const samplesMax = Math.ceil(samples.length * this.#ratio) + 1;
    if (this.#output.length < samplesMax) this.#output = new Int16Array(samplesMax);
    let written = 0;
    for (let read = 0; read < samples.length; read += BLOCK_SAMPLES) {
      const block = samples.subarray(read, read + BLOCK_SAMPLES);
      this.#line.set(block, this.#filled);
      this.#filled += block.length;
      written = this.#convolve(written);
    }
    return this.#output.subarray(0, written);
  }

  flush(): Int16Array {
    const rest = this.process(new Int16Array(this.#filter.taps / 2));
    this.#begin();
    return rest;
  }

  destroy(): void {
    assert.ok(!this.#isDestroyed, "destroyed twice");
    this.#isDestroyed = true;
  }

  /** Makes all samples whose last tap has come, from `this.#output[written]` on; returns where they end. */
  #convolve(written: number): number {
    const { weights, taps, phases, stepSamples, stepPhases } = this.#filter;
    const line = this.#line;
    const output = this.#output;
    let at = written;
    let from = 0;
    let phase = this.#phase;
    while (from + taps <= this.#filled) {
      let sum = 0;
      const row = phase * taps;
      for (let tap = 0; tap < taps; tap += 1) sum += (weights[row + tap] as number) * (line[from + tap] as number);
      output[at] = Math.max(-0x8000, Math.min(0x7fff, Math.round(sum)));
      at += 1;
      from += stepSamples;
      phase += stepPhases;
      if (phase >= phases) {
        phase -= phases;
        from += 1;
      }
    }
    line.copyWithin(0, from, this.#filled);
    this.#filled -= from;
    this.#phase = phase;
    return at;
  }

  /** Before the first sample there was silence. */
  #begin(): void {
    this.#filled = this.#filter.taps / 2 - 1;
    this.#line.fill(0, 0, this.#filled);
    this.#phase = 0;
  }
}

function designFilter(fromHz: number, toHz: number): Filter {
  const divisor = greatestCommonDivisor(fromHz, toHz);
  const phases = toHz / divisor;
  /** The lower rate, of the input's. */
  const band = Math.min(1, toHz / fromHz);
  const half = HALF_SAMPLES / band;
  const taps = 2 * Math.ceil(half);
  const weights = new Float64Array(phases * taps);
  for (let phase = 0; phase < phases; phase += 1) {
    const row = weights.subarray(phase * taps, (phase + 1) * taps);
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = tap - taps / 2 + 1 - phase / phases;
      row[tap] = sinc(distance * band) * kaiser(distance / half);
    }
    // So that a constant stays what it is, whatever the phase.
    const sum = row.reduce((total, weight) => total + weight, 0);
    for (let tap = 0; tap < taps; tap += 1) row[tap] = (row[tap] as number) / sum;
  }
  const step = fromHz / divisor;
  return { weights, taps, phases, stepSamples: Math.floor(step / phases), stepPhases: step % phases };
}

const greatestCommonDivisor = (a: number, b: number): number => (b === 0 ? a : greatestCommonDivisor(b, a % b));

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

/** The window, from -1 to 1; nothing outside. */
const kaiser = (x: number): number => (Math.abs(x) > 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA));

/** The modified Bessel function of the first kind and order zero, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * Number.EPSILON; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
