import type { Random } from "../random.ts";

const LOUDEST = 4_000;

/**
 * Sounds like speech, of no person: syllables of 80 to 260 ms, voiced ones with harmonics of a gliding pitch under two
 * formants, others of noise, with short pauses. Each seed speaks otherwise. Samples of whole numbers.
 */
export function speechLike(random: Random, seconds: number, rateHz = 8_000): Int16Array {
  const out = new Int16Array(seconds * rateHz);
  const pitchHz = random.between(90, 230);
  for (let at = 0; at < out.length; ) {
    const length = Math.floor(random.between(0.08, 0.26) * rateHz);
    const sound = random.chance(0.7) ? vowel(random, pitchHz, rateHz) : consonant(random);
    const loudness = LOUDEST * random.between(0.3, 1);
    for (let i = 0; i < length && at + i < out.length; i += 1)
      out[at + i] = Math.round(loudness * Math.sin((Math.PI * i) / length) * sound(i));
    at += length + (random.chance(0.25) ? Math.floor(random.between(0.03, 0.15) * rateHz) : 0);
  }
  return out;
}

function vowel(random: Random, pitchHz: number, rateHz: number): (i: number) => number {
  const startHz = pitchHz * random.between(0.85, 1.15);
  const glide = random.between(-0.3, 0.3);
  const formantsHz = [random.between(300, 850), random.between(900, 2_300), random.between(2_400, 3_200)];
  const gains = Array.from({ length: 30 }, (_, harmonic) => {
    const hz = (harmonic + 1) * startHz;
    return hz > 3_600
      ? 0
      : formantsHz.reduce((sum, formant, k) => sum + 0.5 ** k / (1 + ((hz - formant) / 120) ** 2), 0.02);
  });
  return (i) => {
    const seconds = i / rateHz;
    const phase = 2 * Math.PI * startHz * seconds * (1 + (glide * seconds) / 2);
    return gains.reduce((sum, gain, harmonic) => sum + gain * Math.sin((harmonic + 1) * phase), 0);
  };
}

function consonant(random: Random): (i: number) => number {
  const colour = random.between(-0.9, 0.5);
  let previous = 0;
  return () => {
    const white = random.between(-1, 1);
    const value = 0.4 * (white + colour * previous);
    previous = white;
    return value;
  };
}
