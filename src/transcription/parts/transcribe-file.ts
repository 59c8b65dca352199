import { strict as assert } from "node:assert";
import type { Clock } from "../../core/clock.ts";
import { codeOf, TrunklineError } from "../../core/errors.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { PARTS_FAILED_MAX, PARTS_PENDING_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { TranscriptionOptions } from "../../core/transcriptions/options.ts";
import type { PartKey, PartOutcome } from "../../core/transcriptions/part.ts";
import type { ResamplerFactory } from "../../media/resampler.ts";
import type { VoiceActivityDetection, VoiceActivityDetector } from "../../media/voice-activity/detector.ts";
import { type AccountBatchStt, BATCH_RATE_HZ } from "../../speech/stt/batch/contract.ts";
import { audioUnreadable } from "../audio/errors.ts";
import { openAudio } from "../audio/open-audio.ts";
import { type CutPart, PartCutter } from "./cutter.ts";

const FRAME_SAMPLES = (BATCH_RATE_HZ / 1_000) * FRAME_MS;

export interface FileTranscriptionOptions {
  path: string;
  options: TranscriptionOptions;
  /** Parts that are transcribed already: they are not requested again. */
  isTranscribed: (part: PartKey) => boolean;
  stt: AccountBatchStt;
  voiceActivity: VoiceActivityDetection;
  makeResampler: ResamplerFactory;
  ffmpeg: string | undefined;
  clock: Pick<Clock, "after">;
  signal: AbortSignal;
  /** Awaited before each request to a provider; rejects where the transcription is over. */
  onRequest: (part: PartKey, provider: string) => Promise<void>;
  /** Awaited before the audio of the part is forgotten. */
  onTranscribed: (part: PartKey, outcome: PartOutcome) => Promise<void>;
  /** How much of the audio needs nothing more, and how much there is, once that is known; ms. */
  onProgress: (doneMs: number, durationMs: number | undefined) => void;
}

/** What is known of a file once all of it has been decoded. */
export interface DecodedFile {
  durationMs: number;
  channels: number;
}

/**
 * Decodes a file, cuts it into parts at silences, and has them transcribed, several at once. Parts that fail do not stop the others,
 * up to PARTS_FAILED_MAX: what is transcribed is kept for another attempt. Rejects with the first failure, and with
 * `audio_unreadable`, `audio_too_long`, `unsupported_audio` and `speakers_too_long`.
 */
export async function transcribeFile(file: FileTranscriptionOptions): Promise<DecodedFile> {
  const stopped = new AbortController();
  const signal = AbortSignal.any([file.signal, stopped.signal]);
  const parts = new PendingParts({ ...file, signal });
  let channels: ChannelCutter[] = [];
  let durationMs: number | undefined;
  const onDuration = (claimedMs: number): void => {
    durationMs = claimedMs;
  };
  const report = (): void => {
    const cutMs = Math.min(...channels.map((channel) => channel.cutMs));
    file.onProgress(Math.min(cutMs, parts.earliestMs), durationMs);
  };
  try {
    for await (const samples of openAudio({ ...file, channels: file.options.channels, signal, onDuration })) {
      if (channels.length === 0) channels = samples.map((_, index) => new ChannelCutter(index, samples.length, file));
      for (const part of cutAll(channels, samples)) {
        await parts.start(part);
        report();
      }
    }
    const [first] = channels;
    if (first === undefined || first.decodedMs === 0) throw audioUnreadable("the file has no audio");
    durationMs = first.decodedMs;
    for (const channel of channels) for (const part of channel.end()) await parts.start(part);
    await parts.end(report);
    return { durationMs: first.decodedMs, channels: channels.length };
  } catch (error) {
    stopped.abort(error);
    throw error;
  } finally {
    for (const channel of channels) channel.destroy();
    await parts.idle();
  }
}

function* cutAll(channels: readonly ChannelCutter[], samples: readonly Int16Array[]): Generator<CutPart> {
  assert.equal(samples.length, channels.length);
  for (const [index, channel] of channels.entries()) yield* channel.push(samples[index] as Int16Array);
}

/** Divides the audio of one channel into frames, finds the voiced ones, and cuts the parts. */
class ChannelCutter {
  readonly #detector: VoiceActivityDetector;
  readonly #cutter: PartCutter;
  readonly #speakersMsMax: number | undefined;
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #filled = 0;
  #samples = 0;

  constructor(channel: number, channels: number, { options, stt, voiceActivity }: FileTranscriptionOptions) {
    const { partMsMin, partMsMax, speakersPartMsMax } = stt.capabilities;
    const bounds = options.speakers
      ? { msMin: Number.POSITIVE_INFINITY, msMax: Number.POSITIVE_INFINITY }
      : { msMin: partMsMin, msMax: partMsMax };
    // All of a channel is in memory until it is over.
    this.#speakersMsMax =
      options.speakers && speakersPartMsMax !== undefined ? speakersPartMsMax / channels : undefined;
    this.#cutter = new PartCutter({ channel, ...bounds, onset: voiceActivity.onset });
    this.#detector = voiceActivity.open(BATCH_RATE_HZ);
  }

  get decodedMs(): number {
    return (this.#samples * 1_000) / BATCH_RATE_HZ;
  }

  get cutMs(): number {
    return this.#cutter.cutMs;
  }

  *push(samples: Int16Array): Generator<CutPart> {
    this.#samples += samples.length;
    if (this.#speakersMsMax !== undefined && this.decodedMs > this.#speakersMsMax)
      throw speakersTooLong(this.#speakersMsMax);
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(FRAME_SAMPLES - this.#filled, samples.length - at);
      this.#frame.set(samples.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled < FRAME_SAMPLES) return;
      yield* this.#takeFrame();
    }
  }

  *end(): Generator<CutPart> {
    if (this.#filled > 0) {
      this.#frame.fill(0, this.#filled);
      yield* this.#takeFrame();
    }
    const last = this.#cutter.end();
    if (last !== undefined) yield last;
  }

  destroy(): void {
    this.#detector.destroy();
  }

  *#takeFrame(): Generator<CutPart> {
    this.#filled = 0;
    const part = this.#cutter.push(this.#frame, this.#detector.isSpeech(this.#frame));
    if (part !== undefined) yield part;
  }
}

const speakersTooLong = (msMax: number): TrunklineError =>
  new TrunklineError(
    "speakers_too_long",
    "caller",
    `the audio is longer than ${msMax / 60_000} minutes, the most with speakers and so many channels; send it without speakers, or as several files`,
  );

/** The parts that are being transcribed, PARTS_PENDING_MAX at most. */
class PendingParts {
  readonly #file: FileTranscriptionOptions;
  readonly #pending = new Map<PartKey, Promise<void>>();
  readonly #concurrentMax: number;
  readonly #failedMs: number[] = [];
  #failure: unknown;

  constructor(file: FileTranscriptionOptions) {
    this.#file = file;
    this.#concurrentMax = Math.min(PARTS_PENDING_MAX, file.stt.capabilities.concurrentMax);
  }

  /** Where the earliest part begins that is not transcribed; Infinity where there is none. */
  get earliestMs(): number {
    return Math.min(...this.#failedMs, ...[...this.#pending.keys()].map(({ startMs }) => startMs));
  }

  /** Begins to transcribe a part, once there is room; throws what keeps the file from being transcribed. */
  async start(part: CutPart): Promise<void> {
    const { signal, isTranscribed } = this.#file;
    if (isTranscribed(part)) return;
    while (this.#pending.size >= this.#concurrentMax) await Promise.race(this.#pending.values());
    signal.throwIfAborted();
    if (this.#failedMs.length >= PARTS_FAILED_MAX) throw this.#failure;
    const { samples, ...key } = part;
    const transcribed = this.#transcribe(key, samples).finally(() => this.#pending.delete(key));
    this.#pending.set(key, transcribed);
  }

  /** Waits for all; rejects where one has failed. */
  async end(onProgress: () => void): Promise<void> {
    while (this.#pending.size > 0) {
      onProgress();
      await Promise.race(this.#pending.values());
    }
    this.#file.signal.throwIfAborted();
    if (this.#failedMs.length > 0) throw this.#failure;
    onProgress();
  }

  async idle(): Promise<void> {
    await Promise.all(this.#pending.values());
  }

  async #transcribe(key: PartKey, samples: Int16Array): Promise<void> {
    const { stt, signal, options, onRequest, onTranscribed } = this.#file;
    const { language, speakers, vocabulary } = options;
    try {
      const request = { samples, language, speakers, vocabulary };
      const outcome = await stt.transcribe(request, signal, (provider) => onRequest(key, provider));
      await onTranscribed(key, outcome);
    } catch (error) {
      this.#failedMs.push(key.startMs);
      // The one that says most: what is stopped because of it comes later.
      if (this.#failedMs.length === 1 || codeOf(this.#failure) === "internal") this.#failure = error;
    }
  }
}
