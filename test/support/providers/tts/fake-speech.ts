import type { TimedWord } from "../../../../src/speech/contracts.ts";

const MS_PER_CHAR = 40;
const GAP_MS = 30;
const HUM_HZ = 200;
const LOUDNESS = 9_000;

/** The audio of a fake TTS: each word is a hum of MS_PER_CHAR for each character, followed by silence. */
export interface FakeSpeech {
  samples: Int16Array;
  words: TimedWord[];
}

export function fakeSpeech(text: string, rateHz: number): FakeSpeech {
  let atMs = 0;
  const words = text
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word): TimedWord => {
      const startMs = atMs;
      const endMs = startMs + word.length * MS_PER_CHAR;
      atMs = endMs + GAP_MS;
      return { text: word, startMs, endMs };
    });
  const samples = new Int16Array((atMs * rateHz) / 1_000);
  for (const { startMs, endMs } of words) {
    for (let n = (startMs * rateHz) / 1_000; n < (endMs * rateHz) / 1_000; n += 1) {
      samples[n] = Math.round(LOUDNESS * Math.sin((2 * Math.PI * HUM_HZ * n) / rateHz));
    }
  }
  return { samples, words };
}

/** Signed 16-bit little-endian. */
export const pcmOf = (samples: Int16Array): Buffer =>
  Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);

/** Bytes that are not audio samples, the same each time. */
export function noiseBytes(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  let state = 12_345;
  for (let i = 0; i < length; i += 1) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    bytes[i] = state >>> 16;
  }
  return bytes;
}
