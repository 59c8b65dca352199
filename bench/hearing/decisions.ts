import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ } from "../../src/core/limits/streams/media.ts";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";

/** The decisions of a detector of one call that hears `samples`, 8,000 Hz in whole frames: one a frame, 1 for voiced. */
export function decisionsOf(detection: VoiceActivityDetection, samples: Int16Array): Uint8Array {
  const detector = detection.open(CARRIER_RATE_HZ);
  const decisions = new Uint8Array(Math.floor(samples.length / CARRIER_FRAME_SAMPLES));
  for (let frame = 0; frame < decisions.length; frame += 1) {
    const at = frame * CARRIER_FRAME_SAMPLES;
    decisions[frame] = detector.isSpeech(samples.subarray(at, at + CARRIER_FRAME_SAMPLES)) ? 1 : 0;
  }
  detector.destroy();
  return decisions;
}
