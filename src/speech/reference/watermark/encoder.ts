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
/** Brings a voice that peaks at full scale to where carrier and filter overshoot still find room. */
const SPEECH_GAIN = 0.75;
/** Half way down; with the width below the speech ends at 2.6 kHz. */
const SPEECH_CUTOFF_HZ = 2_425;
const SPEECH_FILTER_S = 0.0104;

interface Frame {
  bytes: Uint8Array;
  /** Output samples: the first one, and the first one behind it. */
  start: number;
  end: number;
}

/**
 * Puts words under speech, as both come. Every word must be given by `carry` before the speech in which it begins.
 * One utterance after the other: `finish` or `reset` makes it ready for the next.
 */
export class WatermarkEncoder {
  readonly #rateHz: number;
  readonly #shaper: SpeechShaper;
  #frames: Frame[] = [];
  /** The first output sample that no frame has taken yet. */
  #free = 0;
  /** Output samples made so far. */
  #made = 0;
  #phase = 0;

  /** `rateHz` is the rate of the speech that is put in. */
  constructor(rateHz: number) {
    this.#rateHz = rateHz;
    this.#shaper = new SpeechShaper(rateHz);
  }

  /**
   * Places the frame of a word (no white space in it) that begins `startMs` into the utterance: there, or as soon as the
   * frame before it is over. Returns the ms at which the frame ends; a word that cannot be carried (word-frame.ts) has none,
   * and gives `startMs`.
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

  /** Takes the next speech; returns what is ready of the result, 5 ms behind, the caller's to keep. */
  push(speech: Int16Array): Int16Array {
    this.#shaper.push(speech);
    return this.#make(this.#shaper.ready);
  }

  /** Ends the utterance; returns its rest, which is longer than the speech when the last frame is. */
  finish(): Int16Array {
    const speechEnd = Math.ceil((this.#shaper.taken * WATERMARK_RATE_HZ) / this.#rateHz);
    const rest = this.#make(Math.max(this.#free, speechEnd));
    this.reset();
    return rest;
  }

  /** Forgets the utterance. */
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
  const place = (bit - PREAMBLE_BITS) % BYTE_BITS;
  if (place === 0) return 0;
  return place === BYTE_BITS - 1 ? 1 : (byte >> (place - 1)) & 1;
};

/** Low-passes speech and brings it to the output's rate, in one filter without delay: output n sounds at input n * ratio. */
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

  /** Output samples that no further input will change. */
  get ready(): number {
    return Math.max(0, Math.floor(((this.taken - this.#tapsEach / 2) * WATERMARK_RATE_HZ) / this.#rateHz));
  }

  push(speech: Int16Array): void {
    const joined = new Int16Array(this.#input.length + speech.length);
    joined.set(this.#input);
    joined.set(speech, this.#input.length);
    this.#input = joined;
  }

  /** Output sample n; what lies before and behind the input is silence. */
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

  /** Output before sample n will not be asked for any more. */
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

  /** The place in the input, in samples, at which output sample n sounds. */
  #inputAt(n: number): number {
    return (n * this.#rateHz) / WATERMARK_RATE_HZ;
  }
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}
