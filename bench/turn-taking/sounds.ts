import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { Random } from "../../test/support/random.ts";

// What is on a telephone line beside speech, made from chance alone: 8,000 Hz, signed 16-bit values that are no whole numbers yet.

/** The level of a full sample: levels are dBFS, by the root of the mean square. */
const FULL = 32_768;

export const amplitudeOf = (db: number): number => 10 ** (db / 20);
const seconds = (count: number): number => Math.round(count * CARRIER_RATE_HZ);

export function rmsOf(samples: ArrayLike<number>): number {
  let sum = 0;
  for (let at = 0; at < samples.length; at += 1) sum += (samples[at] as number) ** 2;
  return Math.sqrt(sum / samples.length);
}

/** Frames this far below the loudest one are pauses, and do not count for the level of speech. */
const PAUSE_DB = -25;

/** The level of speech without its pauses, as the root of the mean square. */
export function activeRms(samples: Int16Array): number {
  const frame = seconds(FRAME_MS / 1_000);
  const levels: number[] = [];
  for (let at = 0; at + frame <= samples.length; at += frame) levels.push(rmsOf(samples.subarray(at, at + frame)));
  const least = Math.max(...levels) * amplitudeOf(PAUSE_DB);
  return rmsOf(levels.filter((level) => level >= least));
}

/** `samples`, brought to `db`; changed in place. */
function atLevel(samples: Float32Array, db: number): Float32Array {
  const gain = (FULL * amplitudeOf(db)) / rmsOf(samples);
  for (let at = 0; at < samples.length; at += 1) samples[at] = gain * (samples[at] as number);
  return samples;
}

export const NOISES = ["white", "pink", "hum", "babble"] as const;
export type Noise = (typeof NOISES)[number];

/** Noise of 0 dBFS, `forS` long. Babble is six of `talkers`, each from a place of its own. */
export function noise(kind: Noise, forS: number, random: Random, talkers: readonly Int16Array[]): Float32Array {
  const samples = new Float32Array(seconds(forS));
  switch (kind) {
    case "white":
      return atLevel(
        samples.map(() => white(random)),
        0,
      );
    case "pink":
      return atLevel(pink(samples, random), 0);
    case "hum":
      return atLevel(hum(samples, random), 0);
    case "babble":
      return atLevel(babble(samples, random, talkers), 0);
  }
}

/** Nearly Gaussian, as noise is. */
const white = (random: Random): number => random.next() + random.next() + random.next() - 1.5;

/** 3 dB less for every octave: Paul Kellet's filter. */
function pink(samples: Float32Array, random: Random): Float32Array {
  let a = 0;
  let b = 0;
  let c = 0;
  return samples.map(() => {
    const value = white(random);
    a = 0.997_65 * a + value * 0.099_046;
    b = 0.963 * b + value * 0.296_516_4;
    c = 0.57 * c + value * 1.052_691_3;
    return a + b + c + value * 0.1848;
  });
}

const HUM_HARMONICS = 12;

/** The mains, 50 or 60 Hz, with their harmonics. */
function hum(samples: Float32Array, random: Random): Float32Array {
  const hz = random.pick([50, 60]);
  const phases = Array.from({ length: HUM_HARMONICS }, () => random.between(0, 2 * Math.PI));
  return samples.map((_, at) =>
    phases.reduce(
      (sum, phase, index) =>
        sum + Math.sin((2 * Math.PI * hz * (index + 1) * at) / CARRIER_RATE_HZ + phase) / (index + 1),
      0,
    ),
  );
}

const TALKERS = 6;

function babble(samples: Float32Array, random: Random, talkers: readonly Int16Array[]): Float32Array {
  for (let talker = 0; talker < TALKERS; talker += 1) {
    const speech = random.pick(talkers);
    const gain = 1 / activeRms(speech);
    let from = random.whole(0, speech.length - 1);
    for (let at = 0; at < samples.length; at += 1) {
      samples[at] = (samples[at] as number) + gain * (speech[from] as number);
      from = from + 1 === speech.length ? 0 : from + 1;
    }
  }
  return samples;
}

/** A resonance, as a throat has them. */
function resonator(hz: number, widthHz: number): (input: number) => number {
  const radius = Math.exp((-Math.PI * widthHz) / CARRIER_RATE_HZ);
  const turn = 2 * radius * Math.cos((2 * Math.PI * hz) / CARRIER_RATE_HZ);
  let last = 0;
  let before = 0;
  return (input) => {
    const output = (1 - radius) * input + turn * last - radius * radius * before;
    before = last;
    last = output;
    return output;
  };
}

const COUGH_DB = -16;

/**
 * One to three coughs: each begins with a burst of breath, goes on in a rush of air through the throat's resonances, and may
 * end with voice. It begins with its first sample.
 */
export function cough(random: Random): Float32Array {
  const parts: number[] = [];
  for (let coughs = random.whole(1, 3); coughs > 0; coughs -= 1) {
    parts.push(...oneCough(random));
    if (coughs > 1) for (let pause = seconds(random.between(0.08, 0.25)); pause > 0; pause -= 1) parts.push(0);
  }
  return atLevel(Float32Array.from(parts), COUGH_DB);
}

function oneCough(random: Random): number[] {
  const low = resonator(random.between(550, 900), 220);
  const high = resonator(random.between(1_300, 1_900), 300);
  const burst = seconds(random.between(0.02, 0.05));
  const rush = seconds(random.between(0.1, 0.22));
  const voice = random.chance(0.5) ? seconds(random.between(0.05, 0.12)) : 0;
  const period = Math.round(CARRIER_RATE_HZ / random.between(110, 240));
  return Array.from({ length: burst + rush + voice }, (_, at) => {
    const breath = white(random);
    if (at < burst) return 2.5 * breath * Math.min(1, at / 16) + low(breath);
    const fade = 1 - (at - burst) / (rush + voice);
    const pulse = at >= burst + rush && at % period < 6 ? 12 : 0;
    const source = fade * (breath + pulse);
    return 4 * low(source) + 3 * high(source);
  });
}

const DTMF_ROWS_HZ = [697, 770, 852, 941];
const DTMF_COLUMNS_HZ = [1_209, 1_336, 1_477];
const DTMF_DB = -10;

/** One to four keys of a telephone, as tones (ITU-T Q.23). */
export function dtmfTones(random: Random): Float32Array {
  const parts: number[] = [];
  for (let keys = random.whole(1, 4); keys > 0; keys -= 1) {
    const row = random.pick(DTMF_ROWS_HZ);
    const column = random.pick(DTMF_COLUMNS_HZ);
    const tone = (hz: number, at: number): number => Math.sin((2 * Math.PI * hz * at) / CARRIER_RATE_HZ);
    for (let at = 0; at < seconds(random.between(0.08, 0.2)); at += 1) parts.push(tone(row, at) + tone(column, at));
    if (keys > 1) for (let pause = seconds(random.between(0.06, 0.15)); pause > 0; pause -= 1) parts.push(0);
  }
  return atLevel(Float32Array.from(parts), DTMF_DB);
}
