import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { WAVEFORM_PEAK_MAX, type Waveform } from "../../core/calls/waveform.ts";
import { rangedFileOf } from "../../core/encryption/chunked-file.ts";
import { type MediaFile, mediaUnreadable } from "../../core/encryption/chunks.ts";
import { WAVEFORM_BUCKET_MS } from "../../core/limits/storage/storage.ts";
import { pcmBytes } from "../../media/frame-codec.ts";
import { scanWav } from "../../media/wav.ts";
import { WAV_CHANNELS, writeAtomically } from "./wav-file.ts";

/*
 * The waveform of a recording is a file beside it, little-endian:
 *
 *   "TLKW"  u8 version  u8 channels  u16 length of a bucket, ms  u32 buckets  | u16 peak of the caller  u16 of the agent | ...
 *
 * Where media are encrypted, so is this file.
 */
const MAGIC = "TLKW";
const VERSION = 1;
const HEAD_BYTES = 12;
const PEAK_BYTES = Uint16Array.BYTES_PER_ELEMENT;

/** The waveform that belongs to the recording at this path. */
export const waveformPath = (recordingPath: string): string => recordingPath.replace(/\.wav$/, ".peaks");

/** Finds the largest amplitudes of a recording while it is written. */
export class PeakMeter {
  readonly #samplesPerBucket: number;
  /** The caller's and the agent's in turn. */
  readonly #peaks: Uint16Array;
  /** Samples of each channel so far. */
  #samples = 0;

  /** For a recording of `samples` samples in each channel. */
  constructor(samples: number, rateHz: number) {
    this.#samplesPerBucket = (rateHz * WAVEFORM_BUCKET_MS) / 1_000;
    this.#peaks = new Uint16Array(WAV_CHANNELS * Math.ceil(samples / this.#samplesPerBucket));
  }

  /** The next samples, left and right in turn. */
  take(stereo: Int16Array): void {
    const peaks = this.#peaks;
    const pairs = stereo.length / WAV_CHANNELS;
    for (let at = 0; at < pairs; ) {
      const bucket = Math.floor(this.#samples / this.#samplesPerBucket);
      const end = Math.min(pairs, at + (bucket + 1) * this.#samplesPerBucket - this.#samples);
      let left = peaks[WAV_CHANNELS * bucket] ?? 0;
      let right = peaks[WAV_CHANNELS * bucket + 1] ?? 0;
      this.#samples += end - at;
      for (; at < end; at += 1) {
        left = Math.max(left, Math.abs(stereo[WAV_CHANNELS * at] as number));
        right = Math.max(right, Math.abs(stereo[WAV_CHANNELS * at + 1] as number));
      }
      // The lowest sample has an amplitude above full scale.
      peaks[WAV_CHANNELS * bucket] = Math.min(left, WAVEFORM_PEAK_MAX);
      peaks[WAV_CHANNELS * bucket + 1] = Math.min(right, WAVEFORM_PEAK_MAX);
    }
  }

  /** Writes the waveform of what it was given. Rejects with the file system's error. */
  async write(target: MediaFile): Promise<void> {
    const bytes = Buffer.alloc(HEAD_BYTES + PEAK_BYTES * this.#peaks.length);
    bytes.write(MAGIC, 0, "latin1");
    bytes.writeUInt8(VERSION, 4);
    bytes.writeUInt8(WAV_CHANNELS, 5);
    bytes.writeUInt16LE(WAVEFORM_BUCKET_MS, 6);
    bytes.writeUInt32LE(this.#peaks.length / WAV_CHANNELS, 8);
    for (const [index, peak] of this.#peaks.entries()) bytes.writeUInt16LE(peak, HEAD_BYTES + PEAK_BYTES * index);
    await writeAtomically(target, (file) => file.write(bytes), "waveform");
  }
}

const SAMPLES_BYTES = WAV_CHANNELS * Int16Array.BYTES_PER_ELEMENT;

/**
 * Makes the waveform of a recording that has none because an earlier version rendered it. Rejects with the file system's error, and
 * with `media_unreadable`.
 */
export async function makeWaveform({ path, key }: MediaFile): Promise<void> {
  const meter = await withFile(path, async (handle, fileBytes) => {
    const file = await rangedFileOf(handle, fileBytes, "recording", key);
    let meter: PeakMeter | undefined;
    let rest = Buffer.alloc(0);
    for await (const chunk of file.stream()) {
      rest = Buffer.concat([rest, chunk as Buffer]);
      if (meter === undefined) {
        const wav = scanWav(rest);
        if (wav.kind !== "samples" || wav.format?.channels !== WAV_CHANNELS)
          throw mediaUnreadable("it is no recording");
        meter = new PeakMeter((file.bytes - wav.at) / SAMPLES_BYTES, wav.format.rateHz);
        rest = rest.subarray(wav.at);
      }
      const bytes = rest.length - (rest.length % SAMPLES_BYTES);
      const samples = new Int16Array(bytes / Int16Array.BYTES_PER_ELEMENT);
      pcmBytes(samples).set(rest.subarray(0, bytes));
      meter.take(samples);
      rest = rest.subarray(bytes);
    }
    return meter;
  });
  if (meter === undefined) throw mediaUnreadable("it is empty");
  await meter.write({ path: waveformPath(path), key });
}

async function withFile<T>(path: string, use: (handle: FileHandle, bytes: number) => Promise<T>): Promise<T> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    return await use(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

/**
 * The waveform of a recording in `buckets` buckets, or in as many as the file has where those are fewer. Rejects with the file system's
 * error where there is no file, and with `media_unreadable`.
 */
export async function readWaveform({ path, key }: MediaFile, buckets: number): Promise<Waveform> {
  const bytes = await withFile(path, async (handle, fileBytes) =>
    buffer((await rangedFileOf(handle, fileBytes, "waveform", key)).stream()),
  );
  const stored = bytes.length < HEAD_BYTES ? 0 : bytes.readUInt32LE(8);
  if (
    bytes.toString("latin1", 0, 4) !== MAGIC ||
    bytes[4] !== VERSION ||
    bytes[5] !== WAV_CHANNELS ||
    bytes.length !== HEAD_BYTES + PEAK_BYTES * WAV_CHANNELS * stored
  )
    throw mediaUnreadable("it is no waveform of this version");
  const count = Math.min(buckets, stored);
  const bucketMs = count === 0 ? 0 : (bytes.readUInt16LE(6) * stored) / count;
  return { bucketMs, caller: reduced(bytes, 0, stored, count), agent: reduced(bytes, 1, stored, count) };
}

/** The largest peak of each of `count` equal parts of a channel. */
const reduced = (bytes: Buffer, channel: number, stored: number, count: number): number[] =>
  Array.from({ length: count }, (_, index) => {
    const end = Math.floor(((index + 1) * stored) / count);
    let peak = 0;
    for (let at = Math.floor((index * stored) / count); at < end; at += 1)
      peak = Math.max(peak, bytes.readUInt16LE(HEAD_BYTES + PEAK_BYTES * (WAV_CHANNELS * at + channel)));
    return peak;
  });
