import { strict as assert } from "node:assert";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { loadResampler } from "../../media/resampler.ts";
import type { TimedWord, Tts } from "../../speech/contracts.ts";
import { type AudioFormat, encodeSamples, frameSamples, TELEPHONE } from "../audio/format.ts";
import type { MonoAudio } from "../audio/wav.ts";

/** Speech of the caller, encoded for the line. */
export interface Utterance {
  text: string;
  format: AudioFormat;
  /** 20 ms each, in `format`. */
  frames: readonly Uint8Array[];
  /** What the microphone records after the speech: the background of a recording. Silence where it is absent, and after it. */
  tail?: readonly Uint8Array[];
  /** The words with their times in `frames`; empty when the TTS gives no word times. */
  words: readonly TimedWord[];
}

/** -36 dBFS: above the noise of G.711 and of a resampler, far below speech. */
const SPEECH_PEAK_MIN = 500;

/** Whether a signed 16-bit sample is speech rather than noise. */
export const isSpeech = (sample: number): boolean => sample >= SPEECH_PEAK_MIN || sample <= -SPEECH_PEAK_MIN;

/** Synthesises `text` as frames of `format`, without silence at the beginning and the end. Rejects as `Tts.speak` does. */
export async function synthesise(
  tts: Tts,
  request: { text: string; voiceId: string; language: string },
  signal: AbortSignal,
  format: AudioFormat = TELEPHONE,
): Promise<Utterance> {
  const parts: Int16Array[] = [];
  const words: TimedWord[] = [];
  let rateHz: number | undefined;
  for await (const chunk of tts.speak(request, signal)) {
    rateHz ??= chunk.rateHz;
    assert.equal(chunk.rateHz, rateHz, "all chunks of an utterance have the same rate");
    parts.push(chunk.samples);
    words.push(...chunk.words);
  }
  const spoken = { samples: concatenated(parts), rateHz: rateHz ?? format.rateHz };
  return withoutSilence(request.text, await atRate(spoken, format.rateHz), words, format);
}

/** Converts all audio of any rate into an utterance with this name as its text. */
export async function utteranceOf(name: string, audio: MonoAudio, format: AudioFormat): Promise<Utterance> {
  const samples = await atRate(audio, format.rateHz);
  const durationMs = (samples.length * 1_000) / format.rateHz;
  return {
    text: name,
    format,
    frames: framesOf(samples, format),
    words: [{ text: name, startMs: 0, endMs: durationMs }],
  };
}

/**
 * Converts recorded speech, whose text is known, into an utterance that ends with its last voiced frame; its `tail` is the rest
 * of the recording, so that quiet consonants at the end are heard.
 */
export async function recordedUtterance(text: string, audio: MonoAudio, format: AudioFormat): Promise<Utterance> {
  const samples = await atRate(audio, format.rateHz);
  const frames = framesOf(samples, format);
  const voicedFrames = Math.floor(samples.findLastIndex(isSpeech) / frameSamples(format)) + 1;
  const spoken = { text, startMs: 0, endMs: voicedFrames * FRAME_MS };
  return { text, format, frames: frames.slice(0, voicedFrames), tail: frames.slice(voicedFrames), words: [spoken] };
}

/** Joins signed 16-bit samples in one array. */
export function concatenated(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((samples, part) => samples + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

async function atRate({ samples, rateHz }: MonoAudio, toHz: number): Promise<Int16Array> {
  if (rateHz === toHz) return samples;
  const resampler = (await loadResampler())(rateHz, toHz);
  try {
    // The resampler's outputs are borrowed buffers: each is valid until the next call.
    return concatenated([resampler.process(samples).slice(), resampler.flush()]);
  } finally {
    resampler.destroy();
  }
}

function withoutSilence(
  text: string,
  samples: Int16Array,
  words: readonly TimedWord[],
  format: AudioFormat,
): Utterance {
  const start = Math.max(0, samples.findIndex(isSpeech));
  const speech = samples.subarray(start, samples.findLastIndex(isSpeech) + 1);
  const shiftMs = (start * 1_000) / format.rateHz;
  const moved = words.map((word) => ({ ...word, startMs: word.startMs - shiftMs, endMs: word.endMs - shiftMs }));
  return { text, format, frames: framesOf(speech, format), words: moved };
}

function framesOf(samples: Int16Array, format: AudioFormat): Uint8Array[] {
  const count = frameSamples(format);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += count) {
    const frame = new Int16Array(count);
    frame.set(samples.subarray(at, at + count));
    frames.push(encodeSamples(frame, format.codec));
  }
  return frames;
}
