import { strict as assert } from "node:assert";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../core/limits.ts";
import { MU_LAW, mulawEncode } from "../../media/g711.ts";
import type { SpokenWord, Tts } from "../../speech/speech.ts";

/** Something to be said, ready for the carrier: whole frames of mu-law that begin and end with voice. */
export interface Utterance {
  text: string;
  frames: readonly Uint8Array[];
  /** The words by their place in `frames`; none from voices without word times. */
  words: readonly SpokenWord[];
}

/** -36 dBFS: above the noise of G.711 and of a resampler, far below any voice. */
const VOICED_PEAK_MIN = 500;

/** A signed 16-bit sample that is voice rather than noise. */
export const isVoiced = (sample: number): boolean => sample >= VOICED_PEAK_MIN || sample <= -VOICED_PEAK_MIN;

/**
 * Has `text` spoken by a voice of the carrier's rate and cuts it into frames, without the silence around it. Rejects as
 * `Tts.speak` does.
 */
export async function synthesise(
  tts: Tts,
  request: { text: string; voiceId: string; language: string },
  signal: AbortSignal,
): Promise<Utterance> {
  const parts: Int16Array[] = [];
  const words: SpokenWord[] = [];
  for await (const chunk of tts.speak(request, signal)) {
    assert.equal(chunk.rateHz, CARRIER_RATE_HZ, "the reference voice speaks at the telephone's rate");
    parts.push(chunk.samples);
    words.push(...chunk.words);
  }
  return framed(request.text, concatenated(parts), words);
}

function concatenated(parts: readonly Int16Array[]): Int16Array {
  const whole = new Int16Array(parts.reduce((samples, part) => samples + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function framed(text: string, samples: Int16Array, words: readonly SpokenWord[]): Utterance {
  const start = Math.max(0, samples.findIndex(isVoiced));
  const voice = samples.subarray(start, samples.findLastIndex(isVoiced) + 1);
  const frames: Uint8Array[] = [];
  for (let at = 0; at < voice.length; at += CARRIER_FRAME_SAMPLES) {
    const frame = new Uint8Array(CARRIER_FRAME_SAMPLES).fill(MU_LAW.silenceByte);
    mulawEncode(voice.subarray(at, at + CARRIER_FRAME_SAMPLES), frame);
    frames.push(frame);
  }
  const shiftMs = (start * 1_000) / CARRIER_RATE_HZ;
  const moved = words.map((word) => ({ ...word, startMs: word.startMs - shiftMs, endMs: word.endMs - shiftMs }));
  return { text, frames, words: moved };
}
