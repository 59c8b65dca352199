import {
  TRANSCRIPTION_CHANNELS_MAX,
  TRANSCRIPTION_RATE_HZ_MAX,
  TRANSCRIPTION_RATE_HZ_MIN,
  WAV_HEAD_BYTES_MAX,
} from "../../core/limits/transcriptions/transcriptions.ts";
import { sampleReader, scanWav, type WavFormat } from "../../media/wav.ts";
import { audioUnreadable } from "./errors.ts";

/** A writer that did not know the length when it wrote the head has left one of these. */
const UNKNOWN_LENGTHS = new Set([0, 0xffff_ffff, 0x7fff_ffff, 0xffff_ffd0, 0x7fff_f000]);

interface SampleReader {
  read: (view: DataView, at: number) => number;
  sampleBytes: number;
}

/** What the head of a WAV file says. */
export interface WavHead {
  rateHz: number;
  channels: number;
  /** The samples of each channel that the file claims; undefined where its writer did not know. */
  samplesClaimed: number | undefined;
}

/**
 * Decodes a WAV file as a stream: PCM of 8 to 32 bits, floating point, G.711. It takes the bytes as they come, and gives the samples of
 * each channel as signed 16-bit. Throws `audio_unreadable`.
 */
export class WavDecoder {
  #pending: Buffer = Buffer.alloc(0);
  #reader: SampleReader | undefined;
  #head: WavHead | undefined;
  #leftBytes = Number.POSITIVE_INFINITY;

  /** Undefined until the head has been read. */
  get head(): WavHead | undefined {
    return this.#head;
  }

  /** The samples of each channel that are complete with `bytes`; undefined until the head has been read. */
  push(bytes: Uint8Array): Int16Array[] | undefined {
    const data = this.#pending.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#pending, bytes]);
    if (this.#head !== undefined) return this.#decode(data);
    const scan = scanWav(data);
    if (scan.kind === "not-wav") throw audioUnreadable("the file is no WAV file");
    if (scan.kind === "incomplete") {
      if (data.length > WAV_HEAD_BYTES_MAX) throw audioUnreadable("the WAV file has no samples in its first megabyte");
      this.#pending = data;
      return undefined;
    }
    this.#begin(scan.format, scan.byteLength);
    return this.#decode(data.subarray(scan.at));
  }

  /** The file is over. Throws where it ended before its samples. */
  end(): void {
    if (this.#head === undefined) throw audioUnreadable("the WAV file ends before its samples");
  }

  #begin(format: WavFormat | undefined, byteLength: number): void {
    if (format === undefined) throw audioUnreadable("the WAV file does not say how its samples are encoded");
    const { channels, rateHz, encoding, bitsPerSample } = format;
    if (channels < 1 || channels > TRANSCRIPTION_CHANNELS_MAX) {
      throw audioUnreadable(`the WAV file has ${channels} channels, not 1 to ${TRANSCRIPTION_CHANNELS_MAX}`);
    }
    if (rateHz < TRANSCRIPTION_RATE_HZ_MIN || rateHz > TRANSCRIPTION_RATE_HZ_MAX) {
      throw audioUnreadable(
        `the WAV file has a sample rate of ${rateHz} Hz, not ${TRANSCRIPTION_RATE_HZ_MIN} to ${TRANSCRIPTION_RATE_HZ_MAX}`,
      );
    }
    const read = sampleReader(format);
    if (read === undefined) {
      throw audioUnreadable(
        `the WAV file has samples of encoding ${encoding} with ${bitsPerSample} bits, not PCM, floating point or G.711`,
      );
    }
    const sampleBytes = bitsPerSample / 8;
    this.#reader = { read, sampleBytes };
    const isKnown = !UNKNOWN_LENGTHS.has(byteLength);
    const samplesClaimed = isKnown ? Math.floor(byteLength / (channels * sampleBytes)) : undefined;
    this.#head = { rateHz, channels, samplesClaimed };
    if (isKnown) this.#leftBytes = byteLength;
  }

  #decode(data: Buffer): Int16Array[] {
    const { channels } = this.#head as WavHead;
    const { read, sampleBytes } = this.#reader as SampleReader;
    const blockBytes = channels * sampleBytes;
    const count = Math.floor(Math.min(data.length, this.#leftBytes) / blockBytes);
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    const samples = Array.from({ length: channels }, () => new Int16Array(count));
    for (let channel = 0; channel < channels; channel += 1) {
      const into = samples[channel] as Int16Array;
      for (let i = 0; i < count; i += 1) {
        // NaN, which floating point may contain, becomes 0.
        const value = Math.round(read(view, i * blockBytes + channel * sampleBytes) * 0x8000);
        into[i] = Math.max(-0x8000, Math.min(0x7fff, value));
      }
    }
    const used = count * blockBytes;
    this.#leftBytes -= used;
    // Other chunks may follow the samples.
    this.#pending = this.#leftBytes < blockBytes ? Buffer.alloc(0) : data.subarray(used);
    return samples;
  }
}
