import type { VoiceActivityDetector } from "../../media/voice-activity/detector.ts";
import type { Wire } from "../../wire/wire.ts";

/** Makes the VAD of a wire's call; closes the wire when there is no memory for a VAD. */
export function makeVadFor(wire: Pick<Wire, "close">, make: () => VoiceActivityDetector): VoiceActivityDetector {
  try {
    return make();
  } catch (error) {
    wire.close?.();
    throw error;
  }
}
