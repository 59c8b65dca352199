import { describe, expect, test } from "vitest";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits.ts";
import { mulawEncode } from "../../src/media/g711.ts";
import { loadResampler } from "../../src/media/resampler.ts";
import { TaggedReader, taggedSamples } from "./tagged-audio.ts";
import type { SpokenPiece } from "./voice.ts";

const makeResampler = await loadResampler();
const LENGTHS_MS = [1_000, 333.3, 80, 2_041, 512.7];

/** Pieces as a carrier plays them: through a resampler where the voice has another rate, padded to frames, as mu-law. */
function played(rateHz: number): { pieces: SpokenPiece[]; frames: Uint8Array[][] } {
  const pieces: SpokenPiece[] = [];
  const frames = LENGTHS_MS.map((lengthMs, number) => {
    const whole = Math.round((lengthMs * rateHz) / 1_000);
    const tagged = taggedSamples(number, 0, whole, rateHz);
    const samples = rateHz === CARRIER_RATE_HZ ? tagged : resampled(tagged, rateHz);
    pieces.push({ text: "", words: [], legSamples: samples.length, givenMs: 0 });
    return Array.from({ length: Math.ceil(samples.length / CARRIER_FRAME_SAMPLES) }, (_, frame) => {
      const padded = new Int16Array(CARRIER_FRAME_SAMPLES);
      padded.set(samples.subarray(frame * CARRIER_FRAME_SAMPLES, (frame + 1) * CARRIER_FRAME_SAMPLES));
      const bytes = new Uint8Array(CARRIER_FRAME_SAMPLES);
      mulawEncode(padded, bytes);
      return bytes;
    });
  });
  return { pieces, frames };
}

function resampled(samples: Int16Array, rateHz: number): Int16Array {
  const resampler = makeResampler(rateHz, CARRIER_RATE_HZ);
  const out = [...resampler.process(samples), ...resampler.flush()];
  resampler.destroy();
  return Int16Array.from(out);
}

describe("audio that says what it is", () => {
  test.each([
    8_000, 16_000, 22_050, 24_000,
  ])("is read frame by frame behind mu-law, from a voice of %i Hz", (rateHz) => {
    const { pieces, frames } = played(rateHz);
    const reader = new TaggedReader(pieces);
    const read = frames.flat().map((bytes) => reader.read(bytes));
    expect(read).toEqual(frames.flatMap((of, piece) => of.map((_, frame) => ({ piece, frame }))));
  });

  test("a frame that is missing, repeated, or of a piece that was left is not taken for the next one", () => {
    const { pieces, frames } = played(CARRIER_RATE_HZ);
    const [first = [], , , fourth = []] = frames;
    const readAll = (all: readonly (Uint8Array | undefined)[]) => {
      const reader = new TaggedReader(pieces);
      return all.map((bytes) => (bytes === undefined ? undefined : reader.read(bytes)));
    };
    expect(readAll([first[0], first[2]]).at(-1)).toBeUndefined();
    expect(readAll([first[0], first[1], first[1]]).at(-1)).toBeUndefined();
    expect(readAll([first[0], fourth[0], first[1]])).toEqual([
      { piece: 0, frame: 0 },
      { piece: 3, frame: 0 },
      undefined,
    ]);
  });
});
