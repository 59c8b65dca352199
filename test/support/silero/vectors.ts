import { createHash } from "node:crypto";
import type { Signal } from "./signals.ts";

/** fixtures/silero/probabilities.json: what the original network answers to the signals of `vectorSignals`. */
export interface Vectors {
  readonly origin: string;
  readonly signals: readonly VectorsOfSignal[];
}

export interface VectorsOfSignal {
  readonly name: string;
  /** Of the samples, little-endian: it says whether this machine computes the same signal. */
  readonly sha256: string;
  /** One for each chunk of the signal, from a fresh state. */
  readonly probabilities: readonly number[];
}

export const VECTORS = new URL("../../../fixtures/silero/probabilities.json", import.meta.url);

export const sha256OfSamples = ({ samples }: Signal): string =>
  createHash("sha256")
    .update(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
    .digest("hex");
