import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { wavHeader } from "../../../src/media/wav.ts";
import { temporaryDirectory } from "../temporary-directory.ts";

const RATE_HZ = 16_000;

/** Every frame with a sound is voiced. */
export const soundDetection: VoiceActivityDetection = {
  version: "sound",
  onset: { onsetSpeechFrames: 2, onsetWindowFrames: 3, settleMs: 0 },
  fallbackVersion: undefined,
  counts: { gateFrames: 0, networkFrames: 0, fallbackFrames: 0 },
  open: () => ({ isSpeech: (frame) => frame.some((sample) => sample !== 0), destroy: () => {} }),
  setFallback: () => {},
};

/** A file of these seconds, each with a sound or silent, in each of its channels. */
export function fileOf(...channels: readonly (readonly boolean[])[]): string {
  const seconds = channels[0]?.length ?? 0;
  const samples = new Int16Array(seconds * RATE_HZ * channels.length);
  for (const [index, channel] of channels.entries()) {
    for (let i = 0; i < seconds * RATE_HZ; i += 1) {
      if (channel[Math.floor(i / RATE_HZ)] === true) samples[i * channels.length + index] = 1_000;
    }
  }
  const path = join(temporaryDirectory(), "audio.wav");
  const head = wavHeader(seconds * RATE_HZ, RATE_HZ, channels.length === 2 ? 2 : 1);
  writeFileSync(path, Buffer.concat([head, Buffer.from(samples.buffer)]));
  return path;
}

/** Utterances of one second with pauses of two. */
export const utterances = (count: number): boolean[] =>
  Array.from({ length: 3 * count }, (_, second) => second % 3 === 1);
