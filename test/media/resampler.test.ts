import loadSpeex from "@echogarden/speex-resampler-wasm/simd";
import { expect, test } from "vitest";
import { resamplerFactory } from "../../src/media/resampler.ts";
import { COMMON_RATE_PAIRS, resamplerContract } from "../contract/media/resampler.ts";

// The other pairs of rates, and an hour, are in resampler-rates.test.ts.
resamplerContract("Speex", { pairs: COMMON_RATE_PAIRS, thorough: [] }, async () => {
  const speex = await loadSpeex();
  return { make: resamplerFactory(speex), heldBytes: () => speex.HEAP16.byteLength };
});

test("a stream continues when another one makes the memory grow", async () => {
  const stream = Int16Array.from({ length: 22_050 }, (_, i) => Math.round(30_000 * Math.sin(i / 8)));
  const halves = [stream.subarray(0, 11_025), stream.subarray(11_025)] as const;
  const undisturbed = resamplerFactory(await loadSpeex())(22_050, 8_000);
  const expected = halves.map((half) => undisturbed.process(half).slice());

  const speex = await loadSpeex();
  const factory = resamplerFactory(speex);
  const one = factory(22_050, 8_000);
  expect(one.process(halves[0])).toEqual(expected[0]);
  const before = speex.HEAP16;
  for (let i = 0; i < 20; i += 1) factory(8_000, 16_000).process(stream);
  speex._malloc(before.byteLength);
  expect(before.byteLength).toBe(0);
  expect(one.process(halves[1])).toEqual(expected[1]);
  expect(one.flush()).toEqual(undisturbed.flush());
});

test("reports that there is no memory for another stream", async () => {
  const full = resamplerFactory({ ...(await loadSpeex()), _speex_resampler_init: () => 0 });
  expect(() => full(8_000, 16_000)).toThrow(expect.objectContaining({ code: "unavailable" }));
});
