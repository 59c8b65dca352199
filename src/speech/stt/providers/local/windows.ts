import {
  LOCAL_STT_OVERLAP_MS_MAX,
  LOCAL_STT_OVERLAP_MS_MIN,
  LOCAL_STT_WINDOW_MS,
} from "../../../../core/limits/speech-providers/local-speech.ts";

/** The step in which the quietest place is looked for, and the length of a place. */
const STEP_MS = 20;
const PLACE_MS = 100;

/** How many samples of the rate a window has. */
export const windowSamples = (rateHz: number): number => (LOCAL_STT_WINDOW_MS * rateHz) / 1_000;

/**
 * Where in a whole window the next one begins, in samples: the quietest 100 ms that leave the overlap, which probably lie between two
 * words.
 */
export function nextWindowStart(window: Int16Array | Float32Array, rateHz: number): number {
  const samplesOf = (ms: number): number => (ms * rateHz) / 1_000;
  const lastStart = window.length - samplesOf(LOCAL_STT_OVERLAP_MS_MIN + PLACE_MS);
  let quietest = { start: lastStart, amplitude: Number.POSITIVE_INFINITY };
  for (
    let start = window.length - samplesOf(LOCAL_STT_OVERLAP_MS_MAX);
    start <= lastStart;
    start += samplesOf(STEP_MS)
  ) {
    const amplitude = amplitudeOf(window.subarray(start, start + samplesOf(PLACE_MS)));
    if (amplitude < quietest.amplitude) quietest = { start, amplitude };
  }
  return quietest.start + samplesOf(PLACE_MS) / 2;
}

/** The sum of absolute values. */
function amplitudeOf(samples: Int16Array | Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += Math.abs(sample);
  return sum;
}
