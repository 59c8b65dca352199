import { DTMF_TONES_MAX } from "../core/limits/calls/calls.ts";
import { FRAME_MS } from "../core/limits/streams/media.ts";

/** Hz, ITU-T Q.23: of the row and the column of each digit of a keypad. */
const LOW_HZ: readonly number[] = [697, 770, 852, 941];
const HIGH_HZ: readonly number[] = [1_209, 1_336, 1_477, 1_633];
const KEYPAD = "123A456B789C*0#D";

// ITU-T Q.24 has receivers take 40 ms of tone and 40 ms of pause; networks ask senders for 70 of each.
const TONE_MS = 100;
/** Before a tone, and after it, so that no speech touches it: together the pause between two tones. */
const BEFORE_MS = 40;
const AFTER_MS = 60;
/** At either end of a tone, within it, so that it begins and ends without a click. */
const RAMP_MS = 5;

/** The level of a sine whose peaks are the largest value of mu-law, dBm0, ITU-T G.711; and that value, as 16-bit sample. */
const FULL_SCALE_DBM0 = 3.17;
const FULL_SCALE = 32_636;
/** dBm0. The higher frequency loses more on its way, so it starts louder. */
const LOW_DBM0 = -8;
const HIGH_DBM0 = -6;

/** Frames of silence and tone by which one digit is sent. */
export const DTMF_FRAMES_PER_DIGIT = (BEFORE_MS + TONE_MS + AFTER_MS) / FRAME_MS;

/**
 * DTMF digits as audio, at any sample rate: the sum of two sines for each, as a telephone makes them. Allocates nothing after
 * construction. The same calls always give the same samples.
 */
export class DtmfTones {
  readonly #rateHz: number;
  /** The digits to come, as places in KEYPAD: a ring. */
  readonly #digits = new Uint8Array(DTMF_TONES_MAX);
  #head = 0;
  #count = 0;
  /** From 0 to 1 in the course of RAMP_MS. */
  readonly #ramp: Float64Array;
  readonly #toneAt: number;
  readonly #toneEnd: number;
  readonly #lengthSamples: number;
  /** Samples of the digit at the head that were given. */
  #at = 0;
  // Sine and cosine of the phase of each frequency, turned by its step with every sample: products cost less than sines.
  readonly #sines = new Float64Array(2);
  readonly #cosines = new Float64Array(2);
  readonly #stepSines = new Float64Array(2);
  readonly #stepCosines = new Float64Array(2);

  constructor(rateHz: number) {
    this.#rateHz = rateHz;
    const samplesOf = (ms: number): number => Math.round((ms * rateHz) / 1_000);
    const rampSamples = samplesOf(RAMP_MS);
    this.#ramp = Float64Array.from(
      { length: rampSamples },
      (_, at) => (1 - Math.cos((Math.PI * (at + 0.5)) / rampSamples)) / 2,
    );
    this.#toneAt = samplesOf(BEFORE_MS);
    this.#toneEnd = samplesOf(BEFORE_MS + TONE_MS);
    this.#lengthSamples = samplesOf(BEFORE_MS + TONE_MS + AFTER_MS);
  }

  /** Digits that are to be sent, or are not sent to their end. */
  get pendingDigits(): number {
    return this.#count;
  }

  /** Adds digits, 0-9, *, # and A-D. False, and adds none, where more than DTMF_TONES_MAX would be pending. */
  push(digits: string): boolean {
    if (this.#count + digits.length > DTMF_TONES_MAX) return false;
    for (const digit of digits) {
      this.#digits[(this.#head + this.#count) % DTMF_TONES_MAX] = KEYPAD.indexOf(digit);
      this.#count += 1;
    }
    return true;
  }

  /** Fills `into` with the next samples; after the last digit with silence. */
  fill(into: Int16Array): void {
    for (let i = 0; i < into.length; i += 1) {
      into[i] = this.#count === 0 ? 0 : this.#sample();
      if (this.#count === 0) continue;
      this.#at += 1;
      if (this.#at < this.#lengthSamples) continue;
      this.#at = 0;
      this.#head = (this.#head + 1) % DTMF_TONES_MAX;
      this.#count -= 1;
    }
  }

  #sample(): number {
    const at = this.#at;
    if (at < this.#toneAt || at >= this.#toneEnd) return 0;
    if (at === this.#toneAt) this.#startTone();
    const low = this.#turn(0) * LOW_PEAK;
    const high = this.#turn(1) * HIGH_PEAK;
    const edge = Math.min(at - this.#toneAt, this.#toneEnd - 1 - at);
    const gain = edge < this.#ramp.length ? (this.#ramp[edge] as number) : 1;
    return Math.round((low + high) * gain);
  }

  #startTone(): void {
    const digit = this.#digits[this.#head] as number;
    this.#startSine(0, LOW_HZ[digit >> 2] as number);
    this.#startSine(1, HIGH_HZ[digit & 3] as number);
  }

  #startSine(group: 0 | 1, hz: number): void {
    const step = (2 * Math.PI * hz) / this.#rateHz;
    this.#sines[group] = 0;
    this.#cosines[group] = 1;
    this.#stepSines[group] = Math.sin(step);
    this.#stepCosines[group] = Math.cos(step);
  }

  /** The sine of a frequency, which goes on by a sample. */
  #turn(group: 0 | 1): number {
    const sine = this.#sines[group] as number;
    const cosine = this.#cosines[group] as number;
    const stepSine = this.#stepSines[group] as number;
    const stepCosine = this.#stepCosines[group] as number;
    this.#sines[group] = sine * stepCosine + cosine * stepSine;
    this.#cosines[group] = cosine * stepCosine - sine * stepSine;
    return sine;
  }
}

const peakOf = (dbm0: number): number => FULL_SCALE * 10 ** ((dbm0 - FULL_SCALE_DBM0) / 20);
const LOW_PEAK = peakOf(LOW_DBM0);
const HIGH_PEAK = peakOf(HIGH_DBM0);
