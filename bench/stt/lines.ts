import { CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import { MU_LAW } from "../../src/media/g711.ts";
import type { ResamplerFactory } from "../../src/media/resampler.ts";
import type { Random } from "../../test/support/random.ts";
import { activeLevel } from "../hearing/prompts.ts";
import { amplitudeOf } from "../turn-taking/sounds.ts";
import { CLIP_RATE_HZ, resampled } from "./clips.ts";

// What speech goes through before the engine hears it.

export const LINES = ["clean", "G.711", "G.711, noise 20 dB"] as const;
export type Line = (typeof LINES)[number];

const NOISE_BELOW_DB = 20;

/** A clip at 16,000 Hz as the engine hears it, 16,000 Hz, -1 to 1. The noise is white, 20 dB below the clip's own active level. */
export function overLine(
  samples: Int16Array,
  line: Line,
  makeResampler: ResamplerFactory,
  random: Random,
): Float32Array {
  if (line === "clean") return floats(samples);
  const narrow = resampled(samples, CLIP_RATE_HZ, CARRIER_RATE_HZ, makeResampler);
  const amplitude = line === "G.711" ? 0 : activeLevel(narrow) * amplitudeOf(-NOISE_BELOW_DB);
  const noisy = narrow.map((sample) => clipped(sample + amplitude * gaussian(random)));
  return floats(resampled(throughMulaw(noisy), CARRIER_RATE_HZ, CLIP_RATE_HZ, makeResampler));
}

/** Samples at 8,000 Hz through G.711 mu-law. */
export const throughMulaw = (samples: Int16Array): Int16Array =>
  samples.map((sample) => MU_LAW.decodeTable[MU_LAW.encodeTable[sample & 0xffff] as number] as number);

export const clipped = (sample: number): number => Math.max(-32_768, Math.min(32_767, Math.round(sample)));

export const floats = (samples: Int16Array): Float32Array => Float32Array.from(samples, (sample) => sample / 32_768);

/** Normally distributed, by Box and Muller. */
const gaussian = (random: Random): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
