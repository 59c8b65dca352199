/** A tone of 16-bit samples. */
export const tone = (hz: number, rateHz: number, seconds: number, peak = 8_000): Int16Array =>
  Int16Array.from({ length: rateHz * seconds }, (_, k) => peak * Math.sin((2 * Math.PI * hz * k) / rateHz));

/** How far a tone of unknown level and phase is above everything else, in dB. */
export function toneToNoiseDb(samples: ArrayLike<number>, hz: number, rateHz: number): number {
  let [inPhase, quadrature, total] = [0, 0, 0];
  for (let k = 0; k < samples.length; k += 1) {
    const sample = samples[k] as number;
    const angle = (2 * Math.PI * hz * k) / rateHz;
    inPhase += sample * Math.cos(angle);
    quadrature += sample * Math.sin(angle);
    total += sample * sample;
  }
  const ofTone = (2 * (inPhase ** 2 + quadrature ** 2)) / samples.length;
  return 10 * Math.log10(ofTone / Math.max(total - ofTone, Number.MIN_VALUE));
}

/** The median over windows of 100 ms, of which the last part is left out. */
export function medianToneDb(samples: readonly number[] | Int16Array, hz: number, rateHz: number): number {
  const window = rateHz / 10;
  const found: number[] = [];
  for (let at = 0; at + window <= samples.length; at += window) {
    found.push(toneToNoiseDb(samples.slice(at, at + window), hz, rateHz));
  }
  return found.toSorted((a, b) => a - b)[Math.floor(found.length / 2)] ?? Number.NaN;
}
