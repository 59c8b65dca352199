import type { VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { type FvadMode, fvadDetection, loadFvad } from "../../src/media/voice-activity/fvad.ts";

/** What is compared; each is loaded once. */
export interface Detector {
  name: string;
  load(): Promise<VoiceActivityDetection>;
}

/** One line each. The others are compared with the first one; the goals are the last one's. */
export const DETECTORS: readonly Detector[] = [
  { name: "fvad mode 3", load: () => fvadAlone(3) },
  { name: "fvad mode 2", load: () => fvadAlone(2) },
];

async function fvadAlone(mode: FvadMode): Promise<VoiceActivityDetection> {
  const open = await loadFvad();
  return { ...fvadDetection(open), version: `fvad${mode}`, open: (rateHz) => open(rateHz, mode) };
}
