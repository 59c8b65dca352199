/** Zero crossings of the filter on each side of its centre, at the lower of the two rates. */
const CROSSINGS = 24;
/** Of the lower rate: the filter is 6 dB down here, and 80 dB down at half the rate, so nothing is mirrored. */
const CUTOFF = 0.448;
/** Of the Kaiser window: 80 dB of attenuation. */
const BETA = 7.86;
/** More input than is ever written before it is read. */
const SPARE_SAMPLES = 8_192;

/**
 * Changes the rate of one stream of samples: a band-limited polyphase filter. Chunk boundaries change no sample. Write input,
 * then read what it makes; `needed` says how much input a number of output samples takes. The output is late by half the
 * filter, 1.5 ms at 16 kHz.
 */
export class Resampler {
  readonly #up: number;
  readonly #down: number;
  readonly #taps: number;
  /** For each phase its taps, one after the other. */
  readonly #filter: Float32Array;
  /** The input from the first sample that the next output sample reads. */
  readonly #input: Float32Array;
  #held: number;
  #phase = 0;

  constructor(fromHz: number, toHz: number) {
    const divisor = greatestCommonDivisor(fromHz, toHz);
    this.#up = toHz / divisor;
    this.#down = fromHz / divisor;
    const half = Math.ceil(CROSSINGS * Math.max(1, fromHz / toHz));
    this.#taps = half * 2;
    this.#filter = fromHz === toHz ? passThrough(this.#taps) : lowPass(this.#up, half, Math.min(1, toHz / fromHz));
    this.#input = new Float32Array(this.#taps + SPARE_SAMPLES);
    // Output sample 0 is at the time of input sample 0.
    this.#held = half - 1;
  }

  /** How many more input samples must be written before `count` samples can be read. */
  needed(count: number): number {
    const last = Math.floor((this.#phase + (count - 1) * this.#down) / this.#up);
    return count === 0 ? 0 : Math.max(0, last + this.#taps - this.#held);
  }

  /** Takes input, of which at most 8,192 samples may wait to be read. */
  write(samples: Float32Array): void {
    this.#input.set(samples, this.#held);
    this.#held += samples.length;
  }

  /** Fills the front of `into` as far as there is input, and returns how many samples that are. */
  read(into: Float32Array): number {
    let first = 0;
    let count = 0;
    for (; count < into.length && first + this.#taps <= this.#held; count += 1) {
      const row = this.#phase * this.#taps;
      let sum = 0;
      for (let tap = 0; tap < this.#taps; tap += 1) {
        sum += (this.#filter[row + tap] as number) * (this.#input[first + tap] as number);
      }
      into[count] = sum;
      this.#phase += this.#down;
      first += Math.floor(this.#phase / this.#up);
      this.#phase %= this.#up;
    }
    // A step is shorter than the filter, so `first` is never past the input.
    this.#input.copyWithin(0, first, this.#held);
    this.#held -= first;
    return count;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Equal rates: one phase, whose only tap is the centre. */
function passThrough(taps: number): Float32Array {
  const filter = new Float32Array(taps);
  filter[taps / 2 - 1] = 1;
  return filter;
}

/** A windowed sinc for each of `phases`; `scale` is the lower rate in input samples. Each phase passes 0 Hz unchanged. */
function lowPass(phases: number, half: number, scale: number): Float32Array {
  const taps = half * 2;
  const filter = new Float32Array(phases * taps);
  const cutoff = 2 * CUTOFF * scale;
  for (let phase = 0; phase < phases; phase += 1) {
    const row = filter.subarray(phase * taps, (phase + 1) * taps);
    for (let tap = 0; tap < taps; tap += 1) {
      const distance = tap - (half - 1) - phase / phases;
      row[tap] = sinc(cutoff * distance) * kaiser(distance / half);
    }
    const sum = row.reduce((total, value) => total + value, 0);
    for (let tap = 0; tap < taps; tap += 1) row[tap] = (row[tap] as number) / sum;
  }
  return filter;
}

const sinc = (x: number): number => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));

const kaiser = (x: number): number => (Math.abs(x) >= 1 ? 0 : bessel(BETA * Math.sqrt(1 - x * x)) / bessel(BETA));

/** The modified Bessel function of order 0, by its series. */
function bessel(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}
