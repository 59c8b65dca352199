import { setImmediate } from "node:timers/promises";
import { firResamplerFactory } from "../../../bench/baselines/fir-resampler.ts";
import { resamplerContract } from "../../contract/media/resampler.ts";
import { collectGarbage } from "../../support/heap.ts";

/** Down and up, by a whole number and by an odd one, and between neighbours. */
const PAIRS = [
  [22_050, 8_000],
  [48_000, 16_000],
  [8_000, 16_000],
  [44_100, 48_000],
] as const;

resamplerContract("the plain reference of the benches", { pairs: PAIRS, thorough: [] }, async () => ({
  make: firResamplerFactory(),
  async heldBytes() {
    collectGarbage();
    // What buffers hold is given back in a turn of its own.
    await setImmediate();
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  },
}));
