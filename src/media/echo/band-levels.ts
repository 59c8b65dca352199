import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { RealFft } from "./real-fft.ts";

/** The rate of all signals of the echo check, Hz. The telephone band is enough to recognise an echo. */
export const ECHO_RATE_HZ = 8_000;
export const ECHO_SAMPLES_PER_MS = ECHO_RATE_HZ / 1_000;
export const ECHO_FRAME_SAMPLES = FRAME_MS * ECHO_SAMPLES_PER_MS;
/** Samples of one spectrum: 32 ms. */
export const WINDOW_SAMPLES = 256;
/** How many bands a spectrum has. */
export const BANDS = 12;
/** The level of a band without energy, dB. */
export const LEVEL_DB_MIN = -20;

/** The first bin of each band and the end of the last, 31.25 Hz each: 190 to 3,500 Hz, wider towards the top. */
const EDGES = Uint8Array.of(6, 9, 12, 16, 20, 25, 31, 38, 47, 58, 72, 90, 112);

const fft = new RealFft(WINDOW_SAMPLES);
const hann = Float64Array.from(
  { length: WINDOW_SAMPLES },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES),
);
const windowed = new Float64Array(WINDOW_SAMPLES);
const re = new Float64Array(WINDOW_SAMPLES / 2 + 1);
const im = new Float64Array(WINDOW_SAMPLES / 2 + 1);
const DB_PER_LOG2 = 10 * Math.log10(2);

/**
 * Writes the mean level of each band of `samples` (WINDOW_SAMPLES of them) to `into` from `at` on, dB: that of one bin,
 * where white noise with an amplitude of 1 has about 0. At least LEVEL_DB_MIN. Allocates nothing.
 */
export function bandLevels(samples: Float64Array, into: Float32Array, at: number): void {
  let isSilent = true;
  for (let i = 0; i < WINDOW_SAMPLES; i += 1) {
    const sample = samples[i] as number;
    if (sample !== 0) isSilent = false;
    windowed[i] = sample * (hann[i] as number);
  }
  if (isSilent) {
    into.fill(LEVEL_DB_MIN, at, at + BANDS);
    return;
  }
  fft.forward(windowed, re, im);
  for (let band = 0; band < BANDS; band += 1) {
    const from = EDGES[band] as number;
    const to = EDGES[band + 1] as number;
    let energy = 0;
    for (let bin = from; bin < to; bin += 1) energy += (re[bin] as number) ** 2 + (im[bin] as number) ** 2;
    const level = DB_PER_LOG2 * Math.log2(energy / ((to - from) * WINDOW_SAMPLES * 0.375));
    into[at + band] = level > LEVEL_DB_MIN ? level : LEVEL_DB_MIN;
  }
}
