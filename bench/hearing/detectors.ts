import { readFileSync } from "node:fs";
import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { type FvadMode, fvadDetection, loadFvad } from "../../src/media/voice-activity/fvad.ts";
import { loadSilero, SILERO_FILES } from "../../src/media/voice-activity/silero/silero.ts";
import { twoStageDetection } from "../../src/media/voice-activity/two-stage.ts";

/** What is compared; each is loaded once. */
export interface Detector {
  name: string;
  load(): Promise<VoiceActivityDetection>;
}

/** One line each. The others are compared with the first one; the goals are the last one's. */
export const DETECTORS: readonly Detector[] = [
  { name: "fvad mode 3", load: () => fvadAlone(3) },
  { name: "fvad mode 2", load: () => fvadAlone(2) },
  { name: "two-stage", load: twoStage },
];

/** One tape is heard at a time. */
const STREAMS_MAX = 1;

async function fvadAlone(mode: FvadMode): Promise<VoiceActivityDetection> {
  const open = await loadFvad();
  return { ...fvadDetection(open), version: `fvad${mode}`, open: (rateHz) => open(rateHz, mode) };
}

async function twoStage(): Promise<VoiceActivityDetection> {
  const { network, weights } = SILERO_FILES;
  return twoStageDetection(
    await loadFvad(),
    await loadSilero(readFileSync(network), readFileSync(weights), STREAMS_MAX),
  );
}
