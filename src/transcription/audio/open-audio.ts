import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Clock } from "../../core/clock.ts";
import { TrunklineError } from "../../core/errors.ts";
import { TRANSCRIPTION_AUDIO_MS_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { ChannelMode } from "../../core/transcriptions/options.ts";
import type { Resampler, ResamplerFactory } from "../../media/resampler.ts";
import { sampleReader, scanWav } from "../../media/wav.ts";
import { BATCH_RATE_HZ } from "../../speech/stt/batch/contract.ts";
import { audioTooLong, audioUnreadable } from "./errors.ts";
import { decodeWithFfmpeg } from "./ffmpeg.ts";
import { WavDecoder } from "./wav-decoder.ts";

const HEAD_BYTES = 64 * 1024;
const READ_BYTES = 256 * 1024;
/** A shorter file is of no kind. */
const RIFF_HEAD_BYTES = 12;

export interface OpenAudioOptions {
  path: string;
  channels: ChannelMode;
  /** The FFmpeg program; undefined where it is not installed. */
  ffmpeg: string | undefined;
  makeResampler: ResamplerFactory;
  clock: Pick<Clock, "after">;
  signal: AbortSignal;
  /** Called when the length of the audio is known, ms: it is what the file claims. */
  onDuration: (durationMs: number) => void;
}

/**
 * The audio of a file, as a stream: signed 16-bit at BATCH_RATE_HZ, the same number of samples for each channel; one channel where
 * they are mixed. The consumer owns the arrays. WAV files are read here, all others by FFmpeg. Throws `audio_unreadable`,
 * `audio_too_long`, and `unsupported_audio` where FFmpeg would be needed.
 */
export async function* openAudio(options: OpenAudioOptions): AsyncGenerator<readonly Int16Array[]> {
  const { path, onDuration, ffmpeg, clock, signal } = options;
  const isWav = await isReadableWav(path, ffmpeg !== undefined);
  if (!isWav && ffmpeg === undefined) {
    throw new TrunklineError(
      "unsupported_audio",
      "caller",
      "only WAV files (PCM, floating point or G.711) can be read: FFmpeg is not installed where the service runs",
    );
  }
  const bytes = isWav
    ? createReadStream(path, { highWaterMark: READ_BYTES, signal })
    : decodeWithFfmpeg({ ffmpeg: ffmpeg as string, path, clock, signal, onDuration });
  const decoder = new WavDecoder();
  let channels: Channels | undefined;
  try {
    for await (const chunk of bytes) {
      const samples = decoder.push(chunk as Buffer);
      const { head } = decoder;
      if (samples === undefined || head === undefined) continue;
      if (channels === undefined && isWav && head.samplesClaimed !== undefined) {
        onDuration((head.samplesClaimed / head.rateHz) * 1_000);
      }
      channels ??= new Channels(head, options);
      yield channels.process(samples);
    }
    decoder.end();
    if (channels?.holdsSamples === true) yield channels.flush();
  } finally {
    channels?.destroy();
  }
}

/** Whether WavDecoder reads the file. WAV files in other encodings are FFmpeg's, where there is one. */
async function isReadableWav(path: string, hasFfmpeg: boolean): Promise<boolean> {
  const file = await open(path, "r");
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    if (bytesRead === 0) throw audioUnreadable("the file is empty");
    const scan = scanWav(buffer.subarray(0, bytesRead));
    if (scan.kind === "incomplete" && bytesRead < RIFF_HEAD_BYTES) return false;
    if (scan.kind !== "samples" || scan.format === undefined) return scan.kind !== "not-wav";
    return !hasFfmpeg || sampleReader(scan.format) !== undefined;
  } finally {
    await file.close();
  }
}

/** Mixes the channels where that is asked for, and brings them to BATCH_RATE_HZ. */
class Channels {
  readonly #isMixed: boolean;
  readonly #resamplers: readonly Resampler[];
  #samples = 0;

  constructor({ rateHz, channels }: { rateHz: number; channels: number }, options: OpenAudioOptions) {
    this.#isMixed = options.channels === "mix";
    const count = rateHz === BATCH_RATE_HZ ? 0 : this.#isMixed ? 1 : channels;
    this.#resamplers = Array.from({ length: count }, () => options.makeResampler(rateHz, BATCH_RATE_HZ));
  }

  process(samples: readonly Int16Array[]): readonly Int16Array[] {
    const chosen = this.#isMixed ? [mixed(samples)] : samples;
    return this.#counted(
      this.#resamplers.length === 0
        ? chosen
        : chosen.map((channel, index) => (this.#resamplers[index] as Resampler).process(channel).slice()),
    );
  }

  /** The last samples of the audio are still in resamplers. */
  get holdsSamples(): boolean {
    return this.#resamplers.length > 0;
  }

  flush(): readonly Int16Array[] {
    return this.#counted(this.#resamplers.map((resampler) => resampler.flush().slice()));
  }

  destroy(): void {
    for (const resampler of this.#resamplers) resampler.destroy();
  }

  #counted(samples: readonly Int16Array[]): readonly Int16Array[] {
    this.#samples += samples[0]?.length ?? 0;
    if (this.#samples > (TRANSCRIPTION_AUDIO_MS_MAX / 1_000) * BATCH_RATE_HZ)
      throw audioTooLong(TRANSCRIPTION_AUDIO_MS_MAX);
    return samples;
  }
}

function mixed(channels: readonly Int16Array[]): Int16Array {
  const [first] = channels;
  if (first === undefined || channels.length === 1) return first ?? new Int16Array(0);
  const sum = new Int16Array(first.length);
  for (let i = 0; i < sum.length; i += 1) {
    let total = 0;
    for (const channel of channels) total += channel[i] as number;
    sum[i] = Math.round(total / channels.length);
  }
  return sum;
}
