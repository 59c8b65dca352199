import type { SileroStream } from "../../../src/media/voice-activity/silero/silero.ts";
import { Random } from "../random.ts";
import { CHUNK_SAMPLES, speechLike } from "./signals.ts";

export const chunksOf = (samples: ArrayLike<number>): Int16Array[] =>
  Array.from({ length: Math.floor(samples.length / CHUNK_SAMPLES) }, (_, chunk) =>
    Int16Array.from({ length: CHUNK_SAMPLES }, (_, i) =>
      Math.max(-32_768, Math.min(32_767, Math.round(samples[chunk * CHUNK_SAMPLES + i] as number))),
    ),
  );

export const speech = (seed: number, chunks: number): Int16Array[] =>
  chunksOf(speechLike(new Random(seed), chunks * CHUNK_SAMPLES));

export function noise(seed: number, chunks: number, level: number): Int16Array[] {
  const random = new Random(seed);
  return chunksOf(Float64Array.from({ length: chunks * CHUNK_SAMPLES }, () => random.between(-level, level)));
}

export const answers = (stream: SileroStream, chunks: readonly Int16Array[]): number[] =>
  chunks.map((chunk) => stream.probability(chunk));
