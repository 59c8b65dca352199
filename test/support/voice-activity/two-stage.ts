import { readFileSync } from "node:fs";
import type { VoiceActivityDetection } from "../../../src/media/voice-activity/detector.ts";
import { loadFvad } from "../../../src/media/voice-activity/fvad.ts";
import { loadSilero, SILERO_FILES } from "../../../src/media/voice-activity/silero/silero.ts";
import { twoStageDetection } from "../../../src/media/voice-activity/two-stage.ts";

/** The detection of VAD=silero, for at most `streamsMax` streams at a time. */
export async function loadTwoStageDetection(streamsMax: number): Promise<VoiceActivityDetection> {
  const { network, weights } = SILERO_FILES;
  const silero = await loadSilero(readFileSync(network), readFileSync(weights), streamsMax);
  return twoStageDetection(await loadFvad(), silero);
}
