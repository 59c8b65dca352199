import { expect, test } from "vitest";
import {
  LOCAL_STT_OVERLAP_MS_MAX,
  LOCAL_STT_OVERLAP_MS_MIN,
  LOCAL_STT_WINDOW_MS,
} from "../../../../../src/core/limits/speech-providers/local-speech.ts";
import { nextWindowStart, windowSamples } from "../../../../../src/speech/stt/providers/local/windows.ts";
import { Random } from "../../../../support/random.ts";

/** A window of noise that is silent in these spans, ms. */
function window(rateHz: number, ...silences: readonly (readonly [fromMs: number, toMs: number])[]): Int16Array {
  const random = new Random(1);
  return Int16Array.from({ length: windowSamples(rateHz) }, (_, at) => {
    const atMs = (1_000 * at) / rateHz;
    return silences.some(([fromMs, toMs]) => atMs >= fromMs && atMs < toMs) ? 0 : random.between(-3_000, 3_000);
  });
}

test.each([
  8_000, 16_000,
])("at %i Hz the next window begins in the quietest place that leaves the overlap", (rateHz) => {
  const startMs = (samples: Int16Array): number => (1_000 * nextWindowStart(samples, rateHz)) / rateHz;
  expect(windowSamples(rateHz)).toBe((LOCAL_STT_WINDOW_MS * rateHz) / 1_000);
  const inPause = startMs(window(rateHz, [5_000, 5_200]));
  expect(inPause).toBeGreaterThanOrEqual(5_050);
  expect(inPause).toBeLessThanOrEqual(5_150);
  // A pause before the overlap, and one that would leave too little of it.
  const outside = startMs(window(rateHz, [4_000, 4_300], [7_300, 7_900]));
  expect(outside).toBeGreaterThanOrEqual(LOCAL_STT_WINDOW_MS - LOCAL_STT_OVERLAP_MS_MAX);
  expect(outside).toBeLessThanOrEqual(LOCAL_STT_WINDOW_MS - LOCAL_STT_OVERLAP_MS_MIN);
});
