import loadSpeex from "@echogarden/speex-resampler-wasm/simd";
import { resamplerFactory } from "../../src/media/resampler.ts";
import { OTHER_RATE_PAIRS, resamplerContract } from "../contract/media/resampler.ts";

/** From a synthesized voice to a telephone. */
const VOICE_TO_TELEPHONE = [22_050, 8_000] as const;

// With the pairs of resampler.test.ts these are all pairs of rates.
resamplerContract("Speex", { pairs: OTHER_RATE_PAIRS, thorough: [VOICE_TO_TELEPHONE] }, async () => {
  const speex = await loadSpeex();
  return { make: resamplerFactory(speex), heldBytes: () => speex.HEAP16.byteLength };
});
