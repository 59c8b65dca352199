import { strict as assert } from "node:assert";
import { G711_LAWS, type G711Codec } from "./g711.ts";

/** What the audio of a frame is kept in: as it went over the wire where that was G.711, as signed 16-bit samples otherwise. */
export type FrameCodec = G711Codec | "pcm_s16le";

export const bytesPerSample = (codec: FrameCodec): 1 | 2 => (codec === "pcm_s16le" ? 2 : 1);

/** The bytes of samples as `pcm_s16le`: a view of the same memory, good as long as the samples are. */
export const pcmBytes = (samples: Int16Array): Uint8Array =>
  new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);

/** Encodes `samples` into the first bytes of `into`, which must have room for all of them. Allocates nothing. */
export function encodeFrame(codec: FrameCodec, samples: Int16Array, into: Uint8Array): void {
  if (into.length < samples.length * bytesPerSample(codec)) assert.fail("room for every sample");
  if (codec === "pcm_s16le") {
    for (let i = 0; i < samples.length; i += 1) {
      const sample = samples[i] as number;
      into[2 * i] = sample;
      into[2 * i + 1] = sample >> 8;
    }
    return;
  }
  const { encodeTable } = G711_LAWS[codec];
  for (let i = 0; i < samples.length; i += 1) into[i] = encodeTable[(samples[i] as number) & 0xffff] as number;
}

assert.equal(pcmBytes(Int16Array.of(1))[0], 1, "samples lie in memory as they are sent: little-endian");
