import { pcmBytes } from "../../media/frame-codec.ts";

const HEADER_BYTES = 44;
const SAMPLE_BYTES = 2;

/** `samples` as a WAV file of one channel: RIFF, one `fmt ` chunk for PCM, one `data` chunk. */
export function monoWav(samples: Int16Array, rateHz: number): Buffer<ArrayBuffer> {
  const file = Buffer.alloc(HEADER_BYTES + samples.byteLength);
  file.write("RIFF", 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(1, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rateHz, 24);
  file.writeUInt32LE(rateHz * SAMPLE_BYTES, 28);
  file.writeUInt16LE(SAMPLE_BYTES, 32);
  file.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  file.write("data", 36);
  file.writeUInt32LE(samples.byteLength, 40);
  file.set(pcmBytes(samples), HEADER_BYTES);
  return file;
}
