import { describe, expect, test } from "vitest";
import { loadResampler } from "../../../src/media/resampler.ts";
import { type AudioFormat, encodeSamples, frameSamples, TELEPHONE } from "../../../src/simulator/audio/format.ts";
import { TaggedReader, taggedSamples } from "./tagged-audio.ts";
import type { SpokenSegment } from "./tts.ts";

const makeResampler = await loadResampler();
const LENGTHS_MS = [1_000, 333.3, 80, 2_041, 512.7];

/** Segments as a peer plays them: through a resampler where the TTS has another rate, padded to frames, in the leg's format. */
function played(rateHz: number, format = TELEPHONE): { segments: SpokenSegment[]; frames: Uint8Array[][] } {
  const segments: SpokenSegment[] = [];
  const count = frameSamples(format);
  const frames = LENGTHS_MS.map((lengthMs, number) => {
    const whole = Math.round((lengthMs * rateHz) / 1_000);
    const tagged = taggedSamples(number, 0, whole, rateHz);
    const samples = rateHz === format.rateHz ? tagged : resampled(tagged, rateHz, format.rateHz);
    segments.push({ text: "", words: [], legSamples: samples.length, givenMs: 0 });
    return Array.from({ length: Math.ceil(samples.length / count) }, (_, frame) => {
      const padded = new Int16Array(count);
      padded.set(samples.subarray(frame * count, (frame + 1) * count));
      return encodeSamples(padded, format.codec);
    });
  });
  return { segments, frames };
}

function resampled(samples: Int16Array, fromHz: number, toHz: number): Int16Array {
  const resampler = makeResampler(fromHz, toHz);
  const out = [...resampler.process(samples), ...resampler.flush()];
  resampler.destroy();
  return Int16Array.from(out);
}

/** What is read of every frame, one after the other. */
function readAll({ segments, frames }: ReturnType<typeof played>, format: AudioFormat): unknown[] {
  const reader = new TaggedReader(segments, format);
  return frames.flat().map((bytes) => reader.read(bytes));
}

const expected = ({ frames }: ReturnType<typeof played>): unknown[] =>
  frames.flatMap((of, segment) => of.map((_, frame) => ({ segment, frame })));

describe("tagged audio", () => {
  test.each([8_000, 16_000, 22_050, 24_000])("is read frame by frame after mu-law, from a TTS of %i Hz", (rateHz) => {
    const audio = played(rateHz);
    expect(readAll(audio, TELEPHONE)).toEqual(expected(audio));
  });

  test.each([
    { codec: "alaw", rateHz: 8_000 },
    { codec: "pcm_s16le", rateHz: 8_000 },
    { codec: "pcm_s16le", rateHz: 16_000 },
    { codec: "pcm_s16le", rateHz: 48_000 },
  ] as const)("is read as $codec at $rateHz Hz, from a TTS of any rate", (format) => {
    for (const rateHz of [8_000, 22_050, 24_000]) {
      const audio = played(rateHz, format);
      expect(readAll(audio, format)).toEqual(expected(audio));
    }
  });

  test("a frame that is missing, repeated, or of an abandoned segment is not taken for the next one", () => {
    const { segments, frames } = played(TELEPHONE.rateHz);
    const [first = [], , , fourth = []] = frames;
    const readSome = (some: readonly (Uint8Array | undefined)[]) => {
      const reader = new TaggedReader(segments, TELEPHONE);
      return some.map((bytes) => (bytes === undefined ? undefined : reader.read(bytes)));
    };
    expect(readSome([first[0], first[2]]).at(-1)).toBeUndefined();
    expect(readSome([first[0], first[1], first[1]]).at(-1)).toBeUndefined();
    expect(readSome([first[0], fourth[0], first[1]])).toEqual([
      { segment: 0, frame: 0 },
      { segment: 3, frame: 0 },
      undefined,
    ]);
  });
});
