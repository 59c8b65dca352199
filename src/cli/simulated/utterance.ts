import { strict as assert } from "node:assert";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../core/limits.ts";
import { G711_LAWS } from "../../media/g711.ts";
import type { SpokenWord, Tts } from "../../speech/speech.ts";
import type { G711Codec } from "../../wire/wire.ts";

/** Something to be said, ready for the carrier. */
export interface Utterance {
  text: string;
  codec: G711Codec;
  /** 20 ms each, in `codec`. */
  frames: readonly Uint8Array[];
  /** The words by their place in `frames`; none from voices without word times. */
  words: readonly SpokenWord[];
}

/** -36 dBFS: above the noise of G.711 and of a resampler, far below any voice. */
const VOICED_PEAK_MIN = 500;

/** A signed 16-bit sample that is voice rather than noise. */
export const isVoiced = (sample: number): boolean => sample >= VOICED_PEAK_MIN || sample <= -VOICED_PEAK_MIN;

/**
 * Has `text` spoken by a voice of the carrier's rate and cuts it into frames, which begin and end with voice. Rejects as
 * `Tts.speak` does.
 */
export async function synthesise(
  tts: Tts,
  request: { text: string; voiceId: string; language: string },
  signal: AbortSignal,
  codec: G711Codec = "mulaw",
): Promise<Utterance> {
  const parts: Int16Array[] = [];
  const words: SpokenWord[] = [];
  for await (const chunk of tts.speak(request, signal)) {
    assert.equal(chunk.rateHz, CARRIER_RATE_HZ, "the reference voice speaks at the telephone's rate");
    parts.push(chunk.samples);
    words.push(...chunk.words);
  }
  return withoutSilence(request.text, concatenated(parts), words, codec);
}

/** Audio of the carrier's rate as an utterance, all of it, under a name. */
export const utteranceOf = (name: string, samples: Int16Array, codec: G711Codec): Utterance => {
  const durationMs = (samples.length * 1_000) / CARRIER_RATE_HZ;
  return {
    text: name,
    codec,
    frames: framesOf(samples, codec),
    words: [{ text: name, startMs: 0, endMs: durationMs }],
  };
};

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

function withoutSilence(text: string, samples: Int16Array, words: readonly SpokenWord[], codec: G711Codec): Utterance {
  const start = Math.max(0, samples.findIndex(isVoiced));
  const voice = samples.subarray(start, samples.findLastIndex(isVoiced) + 1);
  const shiftMs = (start * 1_000) / CARRIER_RATE_HZ;
  const moved = words.map((word) => ({ ...word, startMs: word.startMs - shiftMs, endMs: word.endMs - shiftMs }));
  return { text, codec, frames: framesOf(voice, codec), words: moved };
}

function framesOf(samples: Int16Array, codec: G711Codec): Uint8Array[] {
  const { encodeTable, silenceByte } = G711_LAWS[codec];
  const frames: Uint8Array[] = [];
  for (let at = 0; at < samples.length; at += CARRIER_FRAME_SAMPLES) {
    const frame = new Uint8Array(CARRIER_FRAME_SAMPLES).fill(silenceByte);
    frame.set(Uint8Array.from(samples.subarray(at, at + CARRIER_FRAME_SAMPLES), (s) => encodeTable[s & 0xffff] ?? 0));
    frames.push(frame);
  }
  return frames;
}
