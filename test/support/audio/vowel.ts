/**
 * A sample, `seconds` from the beginning, of a vowel of 130 Hz: harmonics under three formants, swelling three times a second as
 * syllables do. Speech to any detector, of no person.
 */
export function vowelAt(seconds: number): number {
  let sum = 0;
  for (let harmonic = 1; harmonic <= 20; harmonic += 1) {
    const hz = harmonic * 130;
    const gain =
      1 / (1 + ((hz - 600) / 250) ** 2) + 0.6 / (1 + ((hz - 1_100) / 250) ** 2) + 0.2 / (1 + ((hz - 2_500) / 300) ** 2);
    sum += gain * Math.sin(2 * Math.PI * hz * seconds);
  }
  return sum * 6_000 * (0.5 + 0.5 * Math.sin(2 * Math.PI * 3 * seconds));
}
