import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { monoWav, scanWav, wavSamples } from "../../../src/media/wav.ts";
import type { Random } from "../../support/random.ts";

export const RATE_HZ = 16_000;
const FOLDER = fileURLToPath(new URL("../../../fixtures/librivox/", import.meta.url));
/** Longer than the pause that ends a part in any case. */
const PAUSE_S = 10.6;
const LOUDNESS = [0.5, 1] as const;

/** Recorded sentences, 16,000 Hz. */
export function sentences(): Int16Array[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".wav"))
    .map((name) => {
      const file = readFileSync(`${FOLDER}${name}`);
      const scan = scanWav(file);
      if (scan.kind !== "samples" || scan.format === undefined) throw new Error(`${name} is no WAV file`);
      return wavSamples(file.subarray(scan.at), scan.format) ?? new Int16Array(0);
    });
}

/** A file of some sentences, each a part of its own: no other file has the same samples. */
export function fileOf(sentences: readonly Int16Array[], parts: number, random: Random): Buffer {
  const pause = new Int16Array(PAUSE_S * RATE_HZ);
  const pieces = Array.from({ length: parts }, () => {
    const loudness = random.between(...LOUDNESS);
    return [random.pick(sentences).map((sample) => Math.round(sample * loudness)), pause];
  }).flat();
  const samples = new Int16Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    samples.set(piece, at);
    at += piece.length;
  }
  return monoWav(samples, RATE_HZ);
}
