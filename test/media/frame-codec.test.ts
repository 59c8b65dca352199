import { describe, expect, test } from "vitest";
import { bytesPerSample, encodeFrame, pcmBytes } from "../../src/media/frame-codec.ts";
import { G711_LAWS } from "../../src/media/g711.ts";
import { heapBytesPerRun } from "../support/heap.ts";

const CODECS = ["pcm_s16le", "mulaw", "alaw"] as const;
const EVERY_SAMPLE = Int16Array.from({ length: 65_536 }, (_, i) => i - 32_768);

describe("encoding a frame", () => {
  test("keeps PCM as it lies in memory", () => {
    const bytes = new Uint8Array(2 * EVERY_SAMPLE.length);
    encodeFrame("pcm_s16le", EVERY_SAMPLE, bytes);
    expect(Buffer.from(bytes).equals(pcmBytes(EVERY_SAMPLE))).toBe(true);
  });

  test.each(["mulaw", "alaw"] as const)("takes the codes of %s", (codec) => {
    const bytes = new Uint8Array(EVERY_SAMPLE.length);
    encodeFrame(codec, EVERY_SAMPLE, bytes);
    const { encodeTable } = G711_LAWS[codec];
    expect(bytes.every((code, i) => code === encodeTable[(i - 32_768) & 0xffff])).toBe(true);
  });

  test.each(CODECS)("leaves what lies behind a frame of %s alone, and asks for room", (codec) => {
    const samples = Int16Array.of(1, -1, 3_000);
    const frameBytes = samples.length * bytesPerSample(codec);
    const bytes = new Uint8Array(frameBytes + 2).fill(7);
    encodeFrame(codec, samples, bytes);
    expect([...bytes.subarray(frameBytes)]).toEqual([7, 7]);
    expect(() => encodeFrame(codec, samples, new Uint8Array(frameBytes - 1))).toThrow("room for every sample");
  });

  test.each(CODECS)("allocates nothing for %s", (codec) => {
    const [samples, bytes] = [new Int16Array(160), new Uint8Array(320)];
    expect(heapBytesPerRun(() => encodeFrame(codec, samples, bytes), 1_000)).toBeLessThan(1);
  });
});
