import { strict as assert } from "node:assert";
import { type Filter, melFilters } from "./mel-filters.ts";
import { PowerSpectrum } from "./power-spectrum.ts";

export const MEL_BINS = 80;
/** The rate of the samples that Whisper and the models made from its encoder take. */
export const MEL_RATE_HZ = 16_000;
/** One frame every 10 ms. */
export const MEL_HOP_SAMPLES = 160;
/** 25 ms. */
const WINDOW_SAMPLES = 400;
const SPECTRUM_BINS = WINDOW_SAMPLES / 2 + 1;
const POWER_MIN = 1e-10;
/** Everything this far below the loudest value counts as silence, in decades of power. */
const RANGE_DECADES = 8;

const spectrum = new PowerSpectrum(WINDOW_SAMPLES);
const hann = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES),
);
const windowed = new Float64Array(WINDOW_SAMPLES);
const power = new Float64Array(SPECTRUM_BINS);
const filters = melFilters({ bins: MEL_BINS, spectrumBins: SPECTRUM_BINS, rateHz: MEL_RATE_HZ });

/**
 * Whisper's input: the logarithms of the mel spectrum of `samples` (16,000 Hz, -1 to 1; borrowed), followed by silence up to `frames`
 * frames of 10 ms. The result has `frames` values for each of the 80 mel bins, bin after bin, and belongs to the caller.
 *
 * As OpenAI's and Hugging Face's implementations do it: Hann window of 25 ms around each frame's time, the signal reflected at both
 * ends, mel filters of the same area by Slaney's scale, at most 8 decades of range, and the values moved to about -1 to 1.
 * `samples` longer than the frames are a bug.
 */
export function logMel(samples: Float32Array, frames: number): Float32Array {
  const length = frames * MEL_HOP_SAMPLES;
  assert.ok(frames > 1 && samples.length <= length, "as many frames as the samples take");
  const values = new Float32Array(MEL_BINS * frames).fill(Math.log10(POWER_MIN));
  // Windows that hold no sample of the signal are silence.
  const reach = Math.ceil((samples.length + WINDOW_SAMPLES / 2) / MEL_HOP_SAMPLES);
  let loudest = Math.log10(POWER_MIN);
  for (let frame = 0; frame < Math.min(reach, frames); frame += 1) {
    readWindow(samples, frame * MEL_HOP_SAMPLES - WINDOW_SAMPLES / 2, length);
    spectrum.write(windowed, power);
    for (let bin = 0; bin < MEL_BINS; bin += 1) {
      const value = Math.log10(Math.max(POWER_MIN, filtered(filters[bin] as Filter)));
      values[bin * frames + frame] = value;
      if (value > loudest) loudest = value;
    }
  }
  const floor = loudest - RANGE_DECADES;
  for (let i = 0; i < values.length; i += 1) values[i] = (Math.max(values[i] as number, floor) + 4) / 4;
  return values;
}

/** Fills `windowed` from position `from` of a signal of `length` samples, which are 0 where `samples` has ended. */
function readWindow(samples: Float32Array, from: number, length: number): void {
  for (let i = 0; i < WINDOW_SAMPLES; i += 1) {
    let at = Math.abs(from + i);
    if (at >= length) at = 2 * (length - 1) - at;
    windowed[i] = (hann[i] as number) * (at < samples.length ? (samples[at] as number) : 0);
  }
}

function filtered({ first, weights }: Filter): number {
  let sum = 0;
  for (let i = 0; i < weights.length; i += 1) sum += (weights[i] as number) * (power[first + i] as number);
  return sum;
}
