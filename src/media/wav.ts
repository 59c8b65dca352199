import { pcmBytes } from "./frame-codec.ts";
import { A_LAW, MU_LAW } from "./g711.ts";

// WAV files: RIFF with chunks (Multimedia Programming Interface 1.0, 1991, and its later registry of encodings).

/** What a file says of its samples. */
export interface WavFormat {
  /** By the registry: WAV_PCM and others. */
  encoding: number;
  channels: number;
  rateHz: number;
  bytesPerSecond: number;
  bitsPerSample: number;
}

export const WAV_PCM = 1;
const WAV_FLOAT = 3;
const WAV_A_LAW = 6;
const WAV_MU_LAW = 7;
/** The encoding follows later in the chunk, as the beginning of a GUID; files without it keep this one. */
export const WAV_EXTENSIBLE = 0xfffe;

const RIFF_BYTES = 12;
const CHUNK_HEAD_BYTES = 8;
const FORMAT_BYTES = 16;
const EXTENDED_FORMAT_BYTES = 26;

/** What the first bytes of a file are. */
export type WavScan =
  /** The samples begin later. */
  | { kind: "incomplete" }
  | { kind: "not-wav" }
  /** The samples begin at `at`. `byteLength` is what the file claims; `format` is undefined where it does not precede them. */
  | { kind: "samples"; at: number; byteLength: number; format: WavFormat | undefined };

/** Finds the samples of a file, of which `head` has the first bytes, or all. */
export function scanWav(head: Uint8Array): WavScan {
  if (head.length < RIFF_BYTES) return { kind: "incomplete" };
  if (nameAt(head, 0) !== "RIFF" || nameAt(head, 8) !== "WAVE") return { kind: "not-wav" };
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let format: WavFormat | undefined;
  for (let at = RIFF_BYTES; at + CHUNK_HEAD_BYTES <= head.length; ) {
    const name = nameAt(head, at);
    const byteLength = view.getUint32(at + 4, true);
    at += CHUNK_HEAD_BYTES;
    if (name === "data") return { kind: "samples", at, byteLength, format };
    if (name === "fmt " && at + FORMAT_BYTES <= head.length) format = formatAt(view, at, byteLength);
    at += byteLength + (byteLength % 2);
  }
  return { kind: "incomplete" };
}

const nameAt = (bytes: Uint8Array, at: number): string => String.fromCharCode(...bytes.subarray(at, at + 4));

function formatAt(view: DataView, at: number, byteLength: number): WavFormat {
  const encoding = view.getUint16(at, true);
  const isExtended =
    encoding === WAV_EXTENSIBLE && byteLength >= EXTENDED_FORMAT_BYTES && at + EXTENDED_FORMAT_BYTES <= view.byteLength;
  return {
    encoding: isExtended ? view.getUint16(at + 24, true) : encoding,
    channels: view.getUint16(at + 2, true),
    rateHz: view.getUint32(at + 4, true),
    bytesPerSecond: view.getUint32(at + 8, true),
    bitsPerSample: view.getUint16(at + 14, true),
  };
}

/** Reads one sample of each encoding that can be decoded, as a number from -1 to 1. */
const READERS: Readonly<Record<string, (view: DataView, at: number) => number>> = {
  [`${WAV_PCM}/8`]: (view, at) => (view.getUint8(at) - 0x80) / 0x80,
  [`${WAV_PCM}/16`]: (view, at) => view.getInt16(at, true) / 0x8000,
  [`${WAV_PCM}/24`]: (view, at) => ((view.getInt8(at + 2) << 16) | view.getUint16(at, true)) / 0x80_0000,
  [`${WAV_PCM}/32`]: (view, at) => view.getInt32(at, true) / 0x8000_0000,
  [`${WAV_FLOAT}/32`]: (view, at) => view.getFloat32(at, true),
  [`${WAV_FLOAT}/64`]: (view, at) => view.getFloat64(at, true),
  [`${WAV_A_LAW}/8`]: (view, at) => (A_LAW.decodeTable[view.getUint8(at)] as number) / 0x8000,
  [`${WAV_MU_LAW}/8`]: (view, at) => (MU_LAW.decodeTable[view.getUint8(at)] as number) / 0x8000,
};

/** Reads one sample, from -1 to 1, at an offset in bytes; undefined for an encoding that cannot be decoded. */
export const sampleReader = ({
  encoding,
  bitsPerSample,
}: Pick<WavFormat, "encoding" | "bitsPerSample">): ((view: DataView, at: number) => number) | undefined =>
  READERS[`${encoding}/${bitsPerSample}`];

/**
 * Decodes samples to signed 16-bit mono: PCM of 8, 16, 24 or 32 bits or floating point, of any number of channels, which
 * are mixed. Undefined for any other encoding, and where there are no channels. An incomplete sample at the end is left
 * out.
 */
export function wavSamples(
  data: Uint8Array,
  { encoding, bitsPerSample, channels }: Pick<WavFormat, "encoding" | "bitsPerSample" | "channels">,
): Int16Array | undefined {
  const read = sampleReader({ encoding, bitsPerSample });
  if (read === undefined || channels === 0) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const sampleBytes = bitsPerSample / 8;
  const blockBytes = channels * sampleBytes;
  const samples = new Int16Array(Math.floor(data.byteLength / blockBytes));
  for (let i = 0; i < samples.length; i += 1) {
    let sum = 0;
    for (let channel = 0; channel < channels; channel += 1) sum += read(view, i * blockBytes + channel * sampleBytes);
    // NaN, which floating point may contain, becomes 0.
    samples[i] = Math.max(-0x8000, Math.min(0x7fff, Math.round((sum / channels) * 0x8000)));
  }
  return samples;
}

const HEADER_BYTES = 44;
const SAMPLE_BYTES = Int16Array.BYTES_PER_ELEMENT;

/**
 * The header of a file of 16-bit PCM, which `samples` samples of each channel follow: RIFF, one `fmt ` chunk, the head of
 * one `data` chunk.
 */
export function wavHeader(samples: number, rateHz: number, channels: 1 | 2): Buffer<ArrayBuffer> {
  const blockBytes = channels * SAMPLE_BYTES;
  const header = Buffer.alloc(HEADER_BYTES);
  header.write("RIFF", 0);
  header.writeUInt32LE(HEADER_BYTES - CHUNK_HEAD_BYTES + samples * blockBytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(FORMAT_BYTES, 16);
  header.writeUInt16LE(WAV_PCM, 20);
  header.writeUInt16LE(channels, 22);
  header.writeUInt32LE(rateHz, 24);
  header.writeUInt32LE(rateHz * blockBytes, 28);
  header.writeUInt16LE(blockBytes, 32);
  header.writeUInt16LE(8 * SAMPLE_BYTES, 34);
  header.write("data", 36);
  header.writeUInt32LE(samples * blockBytes, 40);
  return header;
}

/** `samples` as a file of 16-bit PCM in one channel. */
export const monoWav = (samples: Int16Array, rateHz: number): Buffer<ArrayBuffer> =>
  Buffer.concat([wavHeader(samples.length, rateHz, 1), pcmBytes(samples)]);
