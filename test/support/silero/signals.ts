import { Random } from "../random.ts";

// Sounds for the speech detection, computed from seeds: of no person. 8,000 Hz, signed 16 bits.

const RATE_HZ = 8_000;
export const CHUNK_SAMPLES = 256;

/** A sound of `chunks` chunks, one after the other. */
export interface Signal {
  readonly name: string;
  readonly samples: Int16Array;
}

const clamp = (value: number): number => Math.max(-32_768, Math.min(32_767, Math.round(value)));

function signal(name: string, chunks: number, sample: (i: number) => number): Signal {
  return { name, samples: Int16Array.from({ length: chunks * CHUNK_SAMPLES }, (_, i) => clamp(sample(i))) };
}

/** Noise of equal power at all frequencies, uniform, from -1 to 1. */
const whiteNoise = (random: Random) => (): number => random.between(-1, 1);

/** Frequencies of the first three formants, Hz: roughly those of a, e, i, o, u. */
const VOWELS = [
  [750, 1_200, 2_500],
  [480, 1_850, 2_500],
  [290, 2_250, 2_950],
  [480, 900, 2_400],
  [310, 820, 2_250],
] as const;
const BANDWIDTHS_HZ = [80, 100, 140] as const;

/** A resonance as two poles, which keep the last two samples. */
class Formant {
  #last = 0;
  #beforeLast = 0;

  filter(input: number, hz: number, bandwidthHz: number): number {
    const radius = Math.exp((-Math.PI * bandwidthHz) / RATE_HZ);
    const output =
      (1 - radius) * input +
      2 * radius * Math.cos((2 * Math.PI * hz) / RATE_HZ) * this.#last -
      radius * radius * this.#beforeLast;
    this.#beforeLast = this.#last;
    this.#last = output;
    return output;
  }
}

/**
 * Samples of something like speech: syllables of a hiss and a vowel, whose pitch falls over a phrase, and pauses between phrases. Pulses
 * of the glottis pass three formants.
 */
export function speechLike(random: Random, length: number, level = 9_000): Float64Array {
  const samples = new Float64Array(length);
  const formants = [new Formant(), new Formant(), new Formant()];
  let at = 0;
  while (at < length) {
    const syllables = random.whole(3, 8);
    const pitchHz = random.between(95, 210);
    for (let syllable = 0; syllable < syllables; syllable += 1) {
      at = addHiss(samples, at, random, level);
      at = addVowel(samples, at, random, formants, pitchHz * (1.1 - (0.3 * syllable) / syllables), level);
    }
    at += Math.floor(random.between(0.15, 0.6) * RATE_HZ);
  }
  return samples;
}

function addHiss(samples: Float64Array, from: number, random: Random, level: number): number {
  const length = Math.floor(random.between(0.02, 0.08) * RATE_HZ);
  let last = 0;
  for (let i = 0; i < length && from + i < samples.length; i += 1) {
    const noise = random.between(-1, 1);
    samples[from + i] = (noise - last) * level * 0.08 * Math.sin((Math.PI * i) / length);
    last = noise;
  }
  return from + length;
}

function addVowel(
  samples: Float64Array,
  from: number,
  random: Random,
  formants: readonly Formant[],
  pitchHz: number,
  level: number,
): number {
  const length = Math.floor(random.between(0.09, 0.22) * RATE_HZ);
  const start = random.pick(VOWELS);
  const end = random.pick(VOWELS);
  let phase = 0;
  for (let i = 0; i < length && from + i < samples.length; i += 1) {
    const part = i / length;
    phase += (pitchHz * (1 - 0.08 * part) * (1 + random.between(-0.01, 0.01))) / RATE_HZ;
    const pulse = phase >= 1 ? 1 : 0;
    phase %= 1;
    let sum = 0;
    for (const [k, formant] of formants.entries()) {
      const hz = (start[k] as number) + ((end[k] as number) - (start[k] as number)) * part;
      sum += formant.filter(pulse * 40 + random.between(-0.05, 0.05), hz, BANDWIDTHS_HZ[k] as number) / (1 + k);
    }
    samples[from + i] = sum * level * 0.6 * Math.sin(Math.PI * part) ** 0.5;
  }
  return from + length;
}

/** What the stored probabilities are for: 1,000 chunks. */
export function vectorSignals(): Signal[] {
  const speech = (seed: number, chunks: number, level?: number): Float64Array =>
    speechLike(new Random(seed), chunks * CHUNK_SAMPLES, level);
  const clear = speech(1, 300);
  const noisy = speech(2, 150);
  const quiet = speech(3, 100, 700);
  const overdriven = speech(4, 50, 120_000);
  const noises = Array.from({ length: 5 }, (_, i) => whiteNoise(new Random(100 + i)));
  const noise = (i: number): number => (noises[i] as () => number)();
  const clicks = new Random(200);
  return [
    signal("speech", 300, (i) => clear[i] as number),
    signal("speech in noise 10 dB below it", 150, (i) => (noisy[i] as number) + 1_100 * noise(0)),
    signal("faint speech", 100, (i) => (quiet[i] as number) + 3 * noise(1)),
    signal("overdriven speech", 50, (i) => overdriven[i] as number),
    signal("noise", 100, () => 2_000 * noise(2)),
    signal("full-scale noise", 50, () => 40_000 * noise(3)),
    signal("the least noise", 50, () => noise(4)),
    signal("digital silence", 50, () => 0),
    signal("clicks of one sample", 50, () => (clicks.chance(0.002) ? clicks.pick([32_767, -32_768]) : 0)),
    signal("a full-scale square wave of 200 Hz", 50, (i) => (i % 40 < 20 ? 32_767 : -32_768)),
    signal("the fastest full-scale square wave", 25, (i) => (i % 2 === 0 ? 32_767 : -32_768)),
    signal("the lowest constant", 25, () => -32_768),
  ];
}
