import wavefile from "wavefile";
import { pcmBytes } from "./frame-codec.ts";

/*
 * WAV files. wavefile knows the layout of a header and decodes samples. Its parser never gets foreign bytes: a file of
 * 60 bytes with a wrong count of cue points makes it allocate until the process dies, and 28 KB of LIST chunks block it
 * for seconds. So `scanWav` finds the samples. Nor does wavefile encode: it takes 100 ns a sample, and the samples of an
 * Int16Array are those of the file already.
 */

/** What a file says of its samples. */
export interface WavFormat {
  /** By the registry of RIFF (Multimedia Programming Interface 1.0, 1991): WAV_PCM and others. */
  encoding: number;
  channels: number;
  rateHz: number;
  bytesPerSecond: number;
  bitsPerSample: number;
}

export const WAV_PCM = 1;
const WAV_FLOAT = 3;
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

/** wavefile's names of the encodings that are decoded, with the numbers that silence and full scale have in them. */
const DEPTHS: Readonly<Record<string, { depth: string; silence: number; fullScale: number }>> = {
  [`${WAV_PCM}/8`]: { depth: "8", silence: 0x80, fullScale: 0x80 },
  [`${WAV_PCM}/16`]: { depth: "16", silence: 0, fullScale: 0x8000 },
  [`${WAV_PCM}/24`]: { depth: "24", silence: 0, fullScale: 0x80_0000 },
  [`${WAV_PCM}/32`]: { depth: "32", silence: 0, fullScale: 0x8000_0000 },
  [`${WAV_FLOAT}/32`]: { depth: "32f", silence: 0, fullScale: 1 },
  [`${WAV_FLOAT}/64`]: { depth: "64", silence: 0, fullScale: 1 },
};

/** How much is decoded at once: wavefile decodes to doubles, of which a long file would fill hundreds of megabytes. */
const DECODED_SAMPLES = 32_768;

/**
 * Decodes samples to signed 16-bit mono: PCM of 8, 16, 24 or 32 bits or floating point, of any number of channels, which
 * are mixed. Undefined for any other encoding, and where there are no channels. An incomplete sample at the end is left
 * out.
 */
export function wavSamples(
  data: Uint8Array,
  { encoding, bitsPerSample, channels }: Pick<WavFormat, "encoding" | "bitsPerSample" | "channels">,
): Int16Array | undefined {
  const known = DEPTHS[`${encoding}/${bitsPerSample}`];
  if (known === undefined || channels === 0) return undefined;
  const { depth, silence, fullScale } = known;
  const sampleBytes = (channels * bitsPerSample) / 8;
  const samples = new Int16Array(Math.floor(data.length / sampleBytes));
  // One channel, whatever the file has: interleaved samples are decoded alike.
  const decoder = new wavefile.WaveFile();
  decoder.fromScratch(1, 8_000, depth, []);
  const stride = Math.ceil(DECODED_SAMPLES / channels);
  for (let start = 0; start < samples.length; start += stride) {
    const end = Math.min(start + stride, samples.length);
    Object.assign(decoder.data, { samples: data.subarray(start * sampleBytes, end * sampleBytes) });
    const interleaved = decoder.getSamples(true);
    for (let i = start; i < end; i += 1) {
      let sum = 0;
      const from = (i - start) * channels;
      for (let at = from; at < from + channels; at += 1) sum += ((interleaved[at] as number) - silence) / fullScale;
      // NaN, which floating point may contain, becomes 0.
      samples[i] = Math.max(-0x8000, Math.min(0x7fff, Math.round((sum / channels) * 0x8000)));
    }
  }
  return samples;
}

/**
 * The header of a file of 16-bit PCM, which `samples` samples of each channel follow: RIFF, one `fmt ` chunk, the head of
 * one `data` chunk.
 */
export function wavHeader(samples: number, rateHz: number, channels: 1 | 2): Uint8Array<ArrayBuffer> {
  const empty = new wavefile.WaveFile();
  empty.fromScratch(channels, rateHz, "16", []);
  const header = new Uint8Array(empty.toBuffer());
  const dataBytes = samples * channels * Int16Array.BYTES_PER_ELEMENT;
  const view = new DataView(header.buffer);
  view.setUint32(4, header.length - 8 + dataBytes, true);
  view.setUint32(header.length - 4, dataBytes, true);
  return header;
}

/** `samples` as a file of 16-bit PCM in one channel. */
export function monoWav(samples: Int16Array, rateHz: number): Uint8Array<ArrayBuffer> {
  const header = wavHeader(samples.length, rateHz, 1);
  const file = new Uint8Array(header.length + samples.byteLength);
  file.set(header);
  file.set(pcmBytes(samples), header.length);
  return file;
}
