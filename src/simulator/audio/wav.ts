import { unavailable } from "../../core/errors.ts";

export interface WavFormat {
  channels: number;
  sampleRateHz: number;
  durationMs: number;
}

/** Signed 16-bit mono. */
export interface MonoAudio {
  samples: Int16Array;
  rateHz: number;
}

interface Chunks {
  format: { encoding: number; channels: number; sampleRateHz: number; bytesPerSecond: number; bitsPerSample: number };
  /** The audio data that the file contains. */
  data: DataView;
}

// Registered encodings (Multimedia Programming Interface 1.0, 1991, and its later registry).
const PCM = 1;
const FLOAT = 3;
/** The encoding follows later in the chunk, as the beginning of a GUID. */
const EXTENSIBLE = 0xfffe;

const HEADER_BYTES = 44;
/** Files with a rate outside of this range are not accepted as audio. */
const RATE_HZ_MIN = 1_000;
const RATE_HZ_MAX = 384_000;

/** Reads one sample of each supported encoding at `offset`, as a number from -1 to 1. */
const READERS: Readonly<Record<string, (view: DataView, offset: number) => number>> = {
  [`${PCM}/8`]: (view, offset) => (view.getUint8(offset) - 0x80) / 0x80,
  [`${PCM}/16`]: (view, offset) => view.getInt16(offset, true) / 0x8000,
  [`${PCM}/24`]: (view, offset) => ((view.getInt8(offset + 2) << 16) | view.getUint16(offset, true)) / 0x80_0000,
  [`${PCM}/32`]: (view, offset) => view.getInt32(offset, true) / 0x8000_0000,
  [`${FLOAT}/32`]: (view, offset) => view.getFloat32(offset, true),
  [`${FLOAT}/64`]: (view, offset) => view.getFloat64(offset, true),
};

/** Reads the format of a RIFF WAVE file of any encoding. Throws `unavailable` for other files. */
export function readWavFormat(file: Uint8Array): WavFormat {
  const { format, data } = readChunks(file);
  const { channels, sampleRateHz, bytesPerSecond } = format;
  return { channels, sampleRateHz, durationMs: Math.round((data.byteLength * 1_000) / bytesPerSecond) };
}

/**
 * Reads the audio of a RIFF WAVE file: PCM of 8, 16, 24 or 32 bits or floating point, of any rate and any number of channels,
 * which are mixed. Throws `unavailable` for other files.
 */
export function readWav(file: Uint8Array): MonoAudio {
  const { format, data } = readChunks(file);
  const { encoding, channels, sampleRateHz: rateHz, bitsPerSample } = format;
  const read = READERS[`${encoding}/${bitsPerSample}`];
  if (read === undefined) {
    const found = `encoding ${encoding} of ${bitsPerSample} bits`;
    throw unavailable(`a WAVE file of ${found}; only PCM of 8, 16, 24 or 32 bits and floating point can be read`);
  }
  if (channels === 0) throw unavailable("a WAVE file without channels");
  if (rateHz < RATE_HZ_MIN || rateHz > RATE_HZ_MAX) throw unavailable(`a WAVE file of ${rateHz} Hz`);
  const sampleBytes = bitsPerSample / 8;
  const blockBytes = channels * sampleBytes;
  const samples = new Int16Array(Math.floor(data.byteLength / blockBytes));
  for (let i = 0; i < samples.length; i += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += read(data, i * blockBytes + channel * sampleBytes);
    // NaN, which floating point may contain, becomes 0.
    samples[i] = Math.max(-0x8000, Math.min(0x7fff, Math.round((sum / channels) * 0x8000)));
  }
  return { samples, rateHz };
}

/** Encodes a RIFF WAVE file of 16-bit PCM. */
export function writeWav({ samples, rateHz }: MonoAudio): Uint8Array {
  const file = Buffer.alloc(HEADER_BYTES + samples.length * 2);
  file.write("RIFF", 0);
  file.writeUInt32LE(file.length - 8, 4);
  file.write("WAVEfmt ", 8);
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(PCM, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(rateHz, 24);
  file.writeUInt32LE(rateHz * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36);
  file.writeUInt32LE(samples.length * 2, 40);
  for (const [i, sample] of samples.entries()) file.writeInt16LE(sample, HEADER_BYTES + i * 2);
  return file;
}

/** Finds the chunks `fmt ` and `data` at any position. */
function readChunks(file: Uint8Array): Chunks {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const nameAt = (offset: number): string => Buffer.from(file.subarray(offset, offset + 4)).toString("latin1");
  if (file.length < 12 || nameAt(0) !== "RIFF" || nameAt(8) !== "WAVE") throw unavailable("not a WAVE file");
  let format: Chunks["format"] | undefined;
  for (let at = 12; at + 8 <= file.length; ) {
    const bytes = view.getUint32(at + 4, true);
    const body = at + 8;
    if (nameAt(at) === "fmt " && body + 16 <= file.length) {
      const encoding = view.getUint16(body, true);
      const isExtended = encoding === EXTENSIBLE && bytes >= 26 && body + 26 <= file.length;
      format = {
        encoding: isExtended ? view.getUint16(body + 24, true) : encoding,
        channels: view.getUint16(body + 2, true),
        sampleRateHz: view.getUint32(body + 4, true),
        bytesPerSecond: view.getUint32(body + 8, true),
        bitsPerSample: view.getUint16(body + 14, true),
      };
    }
    if (nameAt(at) === "data" && format !== undefined) {
      const presentBytes = Math.min(bytes, file.length - body);
      return { format, data: new DataView(file.buffer, file.byteOffset + body, presentBytes) };
    }
    at = body + bytes + (bytes % 2);
  }
  throw unavailable("a WAVE file without audio");
}
