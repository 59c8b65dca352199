import { CARRIER_RATE_HZ } from "../../../src/core/limits/streams/media.ts";

// What two speakers' recordings of the same words are compared by: the shape of the spectrum, every 10 ms.

/** From one spectrum to the next, samples at CARRIER_RATE_HZ. */
export const STEP_SAMPLES = CARRIER_RATE_HZ / 100;
const WINDOW_SAMPLES = 256;
/** Hz: the middles of the bands, each as wide as its distance from its neighbours, about as people hear them apart. */
const BANDS_HZ = [200, 300, 400, 510, 630, 770, 920, 1_080, 1_270, 1_480, 1_720, 2_000, 2_320, 2_700, 3_150, 3_600];
const CEPSTRA = 8;
export const FEATURES = CEPSTRA + 1;
/** Frames this far below the loudest are pauses, dB. */
const AUDIBLE_BELOW_DB = 30;

/** The steps of a recording. */
export interface Spectra {
  /** FEATURES numbers a step, each with mean 0 and variance 1 over the audible steps of the recording. */
  features: Float64Array;
  /** 1 a step in which something can be heard. */
  audible: Uint8Array;
}

const window = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * (at + 0.5)) / WINDOW_SAMPLES),
);
const WAVES = BANDS_HZ.map((_, band) => bins(band).map(waveOf));

/** The frequencies within a band that are looked at, Hz. */
function bins(band: number): number[] {
  const at = BANDS_HZ[band] as number;
  const below = (at + (BANDS_HZ[band - 1] ?? 100)) / 2;
  const above = (at + (BANDS_HZ[band + 1] ?? 3_900)) / 2;
  return above - below < 150 ? [at] : [below + (above - below) / 4, above - (above - below) / 4];
}

function waveOf(hz: number): { cos: Float64Array; sin: Float64Array } {
  const phase = (at: number): number => (2 * Math.PI * hz * at) / CARRIER_RATE_HZ;
  return {
    cos: window.map((weight, at) => weight * Math.cos(phase(at))),
    sin: window.map((weight, at) => weight * Math.sin(phase(at))),
  };
}

/** The spectra of `samples`, 8,000 Hz. */
export function spectraOf(samples: Float32Array): Spectra {
  const all: { cepstra: number[]; levelDb: number }[] = [];
  for (let middle = STEP_SAMPLES / 2; middle < samples.length; middle += STEP_SAMPLES) {
    all.push(spectrumAt(samples, middle - WINDOW_SAMPLES / 2));
  }
  const loudest = Math.max(...all.map(({ levelDb }) => levelDb));
  const audible = Uint8Array.from(all, ({ levelDb }) => (levelDb >= loudest - AUDIBLE_BELOW_DB ? 1 : 0));
  const features = Float64Array.from(all.flatMap(({ cepstra, levelDb }) => [...cepstra, levelDb]));
  for (let feature = 0; feature < FEATURES; feature += 1) standardise(features, audible, feature);
  return { features, audible };
}

function spectrumAt(samples: Float32Array, from: number): { cepstra: number[]; levelDb: number } {
  let total = 0;
  const logs = WAVES.map((waves) => {
    let energy = 0;
    for (const { cos, sin } of waves) {
      let real = 0;
      let imaginary = 0;
      for (let at = 0; at < WINDOW_SAMPLES; at += 1) {
        const sample = samples[from + at] ?? 0;
        real += sample * (cos[at] as number);
        imaginary += sample * (sin[at] as number);
      }
      energy += (real * real + imaginary * imaginary) / waves.length;
    }
    total += energy;
    return Math.log(energy + 1e4);
  });
  const cepstra = Array.from({ length: CEPSTRA }, (_, order) =>
    logs.reduce((sum, log, band) => sum + log * Math.cos((Math.PI * (order + 1) * (band + 0.5)) / logs.length), 0),
  );
  return { cepstra, levelDb: 10 * Math.log10(total + 1) };
}

function standardise(features: Float64Array, audible: Uint8Array, feature: number): void {
  const count = audible.reduce((sum, each) => sum + each, 0);
  let sum = 0;
  let squares = 0;
  for (const [step, isAudible] of audible.entries()) {
    if (isAudible === 0) continue;
    const value = features[step * FEATURES + feature] as number;
    sum += value;
    squares += value * value;
  }
  const mean = sum / count;
  const deviation = Math.sqrt(Math.max(1e-9, squares / count - mean * mean));
  for (let at = feature; at < features.length; at += FEATURES) {
    features[at] = ((features[at] as number) - mean) / deviation;
  }
}
