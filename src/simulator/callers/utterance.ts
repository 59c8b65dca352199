import { strict as assert } from "node:assert";
import { loadResampler } from "../../media/resampler.ts";
import type { TimedWord, Tts } from "../../speech/contracts.ts";
import { type AudioFormat, encodeSamples, frameSamples, TELEPHONE } from "../audio/format.ts";
import type { MonoAudio } from "../audio/wav.ts";

/** Something to be said, ready for the line. */
export interface Utterance {
  text: string;
  format: AudioFormat;
  /** 20 ms each, in `format`. */
  frames: readonly Uint8Array[];
  /** The words by their place in `frames`; none from voices without word times. */
  words: readonly TimedWord[];
}

/** -36 dBFS: above the noise of G.711 and of a resampler, far below any voice. */
const SPEECH_PEAK_MIN = 500;

/** A signed 16-bit sample that is voice rather than noise. */
export const isSpeech = (sample: number): boolean => sample >= SPEECH_PEAK_MIN || sample <= -SPEECH_PEAK_MIN;

/**
 * Has `text` spoken and cuts it into frames of `format`, which begin and end with voice. Rejects as `Tts.speak` does.
 */
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
    assert.equal(chunk.rateHz, rateHz, "a voice keeps its rate");
    parts.push(chunk.samples);
    words.push(...chunk.words);
  }
  const spoken = { samples: concatenated(parts), rateHz: rateHz ?? format.rateHz };
  return withoutSilence(request.text, await atRate(spoken, format.rateHz), words, format);
}

/** Audio of any rate as an utterance, all of it, under a name. */
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

/** Signed 16-bit samples in one piece. */
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
    // Both lend what they return.
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
  const voice = samples.subarray(start, samples.findLastIndex(isSpeech) + 1);
  const shiftMs = (start * 1_000) / format.rateHz;
  const moved = words.map((word) => ({ ...word, startMs: word.startMs - shiftMs, endMs: word.endMs - shiftMs }));
  return { text, format, frames: framesOf(voice, format), words: moved };
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
