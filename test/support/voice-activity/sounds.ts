import { FRAME_MS } from "../../../src/core/limits/streams/media.ts";
import type { BusRateHz, VoiceActivityDetector } from "../../../src/media/voice-activity/detector.ts";

/** A sample of a sound at a time in seconds; `i` counts from the sound's beginning. */
export type Sound = (seconds: number, i: number) => number;

export const silence: Sound = () => 0;

/** White noise between -`amplitude` and `amplitude`, the same each time. */
export function white(amplitude: number): Sound {
  let state = 1;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * amplitude;
  };
}

/** A sound as frames of 20 ms, its samples limited to 16 bits. */
export function framesOf(sound: Sound, seconds: number, rateHz: BusRateHz): Int16Array[] {
  const length = (rateHz / 1_000) * FRAME_MS;
  return Array.from({ length: (seconds * 1_000) / FRAME_MS }, (_, frame) =>
    Int16Array.from({ length }, (_, i) => {
      const at = frame * length + i;
      return Math.max(-32_768, Math.min(32_767, Math.round(sound(at / rateHz, at))));
    }),
  );
}

/** Whole frames of `samples`; what does not fill the last one is left out. */
export function framesIn(samples: Int16Array, rateHz: BusRateHz): Int16Array[] {
  const length = (rateHz / 1_000) * FRAME_MS;
  const count = Math.floor(samples.length / length);
  return Array.from({ length: count }, (_, frame) => samples.slice(frame * length, (frame + 1) * length));
}

export const decide = (detector: VoiceActivityDetector, frames: readonly Int16Array[]): boolean[] =>
  frames.map((frame) => detector.isSpeech(frame));
