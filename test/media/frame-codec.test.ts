import { describe, expect, test } from "vitest";
import { bytesPerSample, FrameEncoder, pcmBytes } from "../../src/media/frame-codec.ts";
import { G711_LAWS } from "../../src/media/g711.ts";
import { heapBytesPerRun } from "../support/heap.ts";

const CODECS = ["pcm_s16le", "mulaw", "alaw"] as const;
/** Every sample there is, and one more than fours. */
const SAMPLES = 65_537;

describe("an outbound frame", () => {
  test("in PCM has the bytes of its samples", () => {
    const frame = new FrameEncoder("pcm_s16le", SAMPLES);
    for (let i = 0; i < SAMPLES; i += 1) frame.samples[i] = i - 32_768;
    expect(Buffer.from(frame.encode()).equals(pcmBytes(frame.samples))).toBe(true);
  });

  test.each(["mulaw", "alaw"] as const)("takes the codes of %s, anew each time", (codec) => {
    const frame = new FrameEncoder(codec, SAMPLES);
    const { encodeTable } = G711_LAWS[codec];
    for (const from of [-32_768, -32_767]) {
      for (let i = 0; i < SAMPLES; i += 1) frame.samples[i] = from + i;
      expect(frame.encode().every((code, i) => code === encodeTable[(from + i) & 0xffff])).toBe(true);
    }
  });

  test.each(CODECS)("in %s has a constant length, and allocates nothing", (codec) => {
    const frame = new FrameEncoder(codec, 160);
    expect(frame.byteLength).toBe(160 * bytesPerSample(codec));
    expect(frame.encode()).toHaveLength(frame.byteLength);
    expect(heapBytesPerRun(() => frame.encode(), 1_000)).toBeLessThan(1);
  });
});
