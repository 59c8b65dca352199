import { strict as assert } from "node:assert";
import { wordFrame } from "./frame.ts";
import { lowPassTap } from "./low-pass.ts";
import {
  BAUD,
  BYTE_BITS,
  CARRIER_PEAK,
  MARK_HZ,
  PREAMBLE_BITS,
  SPACE_HZ,
  TRAILER_BITS,
  WATERMARK_RATE_HZ,
} from "./modulation.ts";

const BIT_SAMPLES = WATERMARK_RATE_HZ / BAUD;
/** The carrier is faded in and out over 1 ms so that it does not click. */
const FADE_SAMPLES = 8;
/** Leaves headroom for the carrier and the filter's overshoot when the speech peaks at full scale. */
const SPEECH_GAIN = 0.75;
/** The -6 dB point; with the width below the speech ends at 2.6 kHz. */
const SPEECH_CUTOFF_HZ = 2_425;
const SPEECH_FILTER_S = 0.0104;

interface Frame {
  bytes: Uint8Array;
  /** Output samples: the first one, and the one after the last. */
  start: number;
  end: number;
}

/**
 * Adds words to speech as an audio watermark, while the speech is produced. Each word must be added by `addWord` before
 * the speech in which it begins. It encodes one utterance at a time: `finish` or `reset` prepares it for the next.
 */
export class WatermarkEncoder {
  readonly #rateHz: number;
  readonly #shaper: SpeechShaper;
  #frames: Frame[] = [];
  /** The first output sample that no frame has taken yet. */
  #free = 0;
  /** Output samples produced so far. */
  #made = 0;
  #phase = 0;

  /** `rateHz` is the rate of the input speech. */
  constructor(rateHz: number) {
    this.#rateHz = rateHz;
    this.#shaper = new SpeechShaper(rateHz);
  }

  /**
   * Places the frame of a word (without white space) that begins `startMs` into the utterance: there, or after the
   * previous frame. Returns the ms at which the frame ends, or `startMs` for a word that cannot be encoded (frame.ts).
   */
  addWord(word: string, startMs: number): number {
    const bytes = wordFrame(word);
    if (bytes === undefined) return startMs;
    const start = Math.max(this.#free, this.#made, Math.ceil((startMs * WATERMARK_RATE_HZ) / 1_000));
    const bits = PREAMBLE_BITS + bytes.length * BYTE_BITS + TRAILER_BITS;
    const end = start + Math.ceil(bits * BIT_SAMPLES);
    this.#frames.push({ bytes, start, end });
    this.#free = end;
    return (end * 1_000) / WATERMARK_RATE_HZ;
  }

  /** Takes the next speech; returns the output that is ready, with a delay of 5 ms. The array belongs to the caller. */
  push(speech: Int16Array): Int16Array {
    this.#shaper.push(speech);
    return this.#make(this.#shaper.ready);
  }

  /** Ends the utterance; returns the rest of it, which is longer than the speech if the last frame is. */
  finish(): Int16Array {
    const speechEnd = Math.ceil((this.#shaper.taken * WATERMARK_RATE_HZ) / this.#rateHz);
    const rest = this.#make(Math.max(this.#free, speechEnd));
    this.reset();
    return rest;
  }

  /** Drops the current utterance. */
  reset(): void {
    this.#shaper.reset();
    this.#frames = [];
    this.#free = 0;
    this.#made = 0;
    this.#phase = 0;
  }

  #make(until: number): Int16Array {
    const samples = new Int16Array(Math.max(0, until - this.#made));
    for (let n = 0; n < samples.length; n += 1) {
      const sample = SPEECH_GAIN * this.#shaper.at(this.#made + n) + this.#carrierAt(this.#made + n);
      samples[n] = Math.max(-32_768, Math.min(32_767, Math.round(sample)));
    }
    this.#made += samples.length;
    this.#shaper.forget(this.#made);
    return samples;
  }

  #carrierAt(sample: number): number {
    let [frame] = this.#frames;
    if (frame !== undefined && sample >= frame.end) {
      this.#frames.shift();
      [frame] = this.#frames;
    }
    if (frame === undefined || sample < frame.start) return 0;
    const hz = bitAt(frame.bytes, Math.floor((sample - frame.start) / BIT_SAMPLES)) === 1 ? MARK_HZ : SPACE_HZ;
    this.#phase = (this.#phase + (2 * Math.PI * hz) / WATERMARK_RATE_HZ) % (2 * Math.PI);
    const fromEdge = Math.min(sample - frame.start + 1, frame.end - sample);
    return CARRIER_PEAK * Math.min(1, fromEdge / FADE_SAMPLES) * Math.sin(this.#phase);
  }
}

const bitAt = (bytes: Uint8Array, bit: number): number => {
  const at = Math.floor((bit - PREAMBLE_BITS) / BYTE_BITS);
  const byte = bytes[at];
  if (bit < PREAMBLE_BITS || byte === undefined) return 1;
  const slot = (bit - PREAMBLE_BITS) % BYTE_BITS;
  if (slot === 0) return 0;
  return slot === BYTE_BITS - 1 ? 1 : (byte >> (slot - 1)) & 1;
};

/** Low-passes and resamples speech to the output's rate, in one filter without delay: output n is input n * ratio. */
class SpeechShaper {
  readonly #rateHz: number;
  readonly #phases: number;
  readonly #tapsEach: number;
  readonly #taps: Float64Array;
  /** The input from sample `#first` on. */
  #input = new Int16Array(0);
  #first = 0;

  constructor(rateHz: number) {
    assert.ok(Number.isInteger(rateHz) && rateHz >= WATERMARK_RATE_HZ);
    this.#rateHz = rateHz;
    this.#phases = WATERMARK_RATE_HZ / greatestCommonDivisor(rateHz, WATERMARK_RATE_HZ);
    this.#tapsEach = 2 * Math.ceil((SPEECH_FILTER_S / 2) * rateHz);
    this.#taps = new Float64Array(this.#phases * this.#tapsEach);
    for (let phase = 0; phase < this.#phases; phase += 1) this.#design(phase);
  }

  #design(phase: number): void {
    const taps = this.#taps.subarray(phase * this.#tapsEach, (phase + 1) * this.#tapsEach);
    const offset = this.#inputAt(phase) % 1;
    for (let tap = 0; tap < taps.length; tap += 1) {
      const at = (tap - taps.length / 2 + 1 - offset) / this.#rateHz;
      taps[tap] = lowPassTap(at, SPEECH_CUTOFF_HZ, SPEECH_FILTER_S);
    }
    const sum = taps.reduce((total, tap) => total + tap, 0);
    for (let tap = 0; tap < taps.length; tap += 1) taps[tap] = (taps[tap] as number) / sum;
  }

  /** Input samples so far. */
  get taken(): number {
    return this.#first + this.#input.length;
  }

  /** Output samples that no further input changes. */
  get ready(): number {
    return Math.max(0, Math.floor(((this.taken - this.#tapsEach / 2) * WATERMARK_RATE_HZ) / this.#rateHz));
  }

  push(speech: Int16Array): void {
    const joined = new Int16Array(this.#input.length + speech.length);
    joined.set(this.#input);
    joined.set(speech, this.#input.length);
    this.#input = joined;
  }

  /** Output sample n; before and after the input there is silence. */
  at(n: number): number {
    const firstTap = Math.floor(this.#inputAt(n)) - this.#tapsEach / 2 + 1 - this.#first;
    const taps = (n % this.#phases) * this.#tapsEach;
    const until = Math.min(this.#tapsEach, this.#input.length - firstTap);
    let sum = 0;
    for (let tap = Math.max(0, -firstTap); tap < until; tap += 1) {
      sum += (this.#taps[taps + tap] as number) * (this.#input[firstTap + tap] as number);
    }
    return sum;
  }

  /** Frees the input of output samples before n, which are not read again. */
  forget(n: number): void {
    const before = Math.floor(this.#inputAt(n)) - this.#tapsEach / 2 - this.#first;
    if (before <= 0) return;
    this.#first += Math.min(before, this.#input.length);
    this.#input = this.#input.subarray(before);
  }

  reset(): void {
    this.#input = new Int16Array(0);
    this.#first = 0;
  }

  /** The position of output sample n in the input, in samples. */
  #inputAt(n: number): number {
    return (n * this.#rateHz) / WATERMARK_RATE_HZ;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
