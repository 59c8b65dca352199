import { CARRIER_FRAME_SAMPLES } from "../../../src/core/limits/streams/media.ts";
import { mulawDecode } from "../../../src/media/g711.ts";

/** The words of a text that are too long to turn up anywhere by chance. */
export const longWords = (text: string): string[] => text.toLowerCase().match(/[a-z]{5,}/g) ?? [];

/** Which of the long words of `text` are in `bytes` (read as Latin-1), in whatever case. */
export function wordsFound(bytes: string, text: string): string[] {
  const lower = bytes.toLowerCase();
  return longWords(text).filter((word) => lower.includes(word));
}

/** Frames with something loud in them, and how many of those were found, by form. */
export interface AudioFound {
  loud: number;
  mulaw: number;
  base64: number;
  /** 16-bit PCM by itself, and as one channel beside a silent one. */
  mono: number;
  stereo: number;
}

/** Samples out of the middle of a frame: enough to be sure of, and it does not matter how somebody else cuts the frames. */
const FROM = 60;
const TO = 100;

/** Looks for frames of mu-law in `bytes` (read as Latin-1). */
export function audioFound(bytes: string, frames: readonly Uint8Array[]): AudioFound {
  const found = { loud: 0, mulaw: 0, base64: 0, mono: 0, stereo: 0 };
  const pcm = new Int16Array(CARRIER_FRAME_SAMPLES);
  const count = (pattern: Buffer, encoding: BufferEncoding = "latin1"): number =>
    bytes.includes(pattern.toString(encoding)) ? 1 : 0;
  for (const frame of frames) {
    mulawDecode(frame, pcm);
    const samples = pcm.subarray(FROM, TO);
    if (samples.filter((sample) => Math.abs(sample) > 1_000).length < samples.length / 2) continue;
    found.loud += 1;
    found.mulaw += count(Buffer.from(frame.subarray(FROM, TO)));
    found.base64 += count(Buffer.from(frame), "base64");
    found.mono += count(littleEndian(samples, 1));
    found.stereo += count(littleEndian(samples, 2).subarray(0, -2));
  }
  return found;
}

function littleEndian(samples: Int16Array, channels: number): Buffer {
  const bytes = Buffer.alloc(2 * channels * samples.length);
  for (const [index, sample] of samples.entries()) bytes.writeInt16LE(sample, 2 * channels * index);
  return bytes;
}
