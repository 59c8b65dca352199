import { CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { BusRateHz, VoiceActivityDetection } from "../../src/media/voice-activity/detector.ts";
import { Cycle } from "./cycle.ts";

// Question: what does a frame cost each voice activity detector, by what the caller's line carries?

const CYCLE_FRAMES = 500;
const NOISE_AMPLITUDE = 3_000;

interface DetectorStage {
  name: string;
  way: "extra";
  task: () => void;
}

/** One stage for each detector and line; all are timed by turns in one run. `speech` is at CARRIER_RATE_HZ. */
export function detectorStages(
  speech: readonly Int16Array[],
  { fvad, twoStage }: { fvad: VoiceActivityDetection; twoStage: VoiceActivityDetection },
): DetectorStage[] {
  const silence = Array.from({ length: CYCLE_FRAMES }, () => new Int16Array(speech[0]?.length ?? 0));
  const lines: [string, readonly Int16Array[], BusRateHz][] = [
    ["silence", silence, CARRIER_RATE_HZ],
    ["speech", speech, CARRIER_RATE_HZ],
    ["white noise", noise(CARRIER_RATE_HZ), CARRIER_RATE_HZ],
    ["white noise at 16 kHz", noise(16_000), 16_000],
  ];
  return lines.flatMap(([line, frames, rateHz]) => [
    stage(`detect speech, fvad: ${line}`, fvad, frames, rateHz),
    stage(`detect speech, silero: ${line}`, twoStage, frames, rateHz),
  ]);
}

function stage(
  name: string,
  detection: VoiceActivityDetection,
  frames: readonly Int16Array[],
  rateHz: BusRateHz,
): DetectorStage {
  const detector = detection.open(rateHz);
  const cycle = new Cycle(frames);
  return { name, way: "extra", task: () => void detector.isSpeech(cycle.next()) };
}

/** Ten seconds of white noise, the same each time: it keeps the gate open. */
function noise(rateHz: BusRateHz): Int16Array[] {
  let state = 1;
  const sample = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state / 2 ** 31 - 1) * NOISE_AMPLITUDE;
  };
  return Array.from({ length: CYCLE_FRAMES }, () => Int16Array.from({ length: (rateHz / 1_000) * FRAME_MS }, sample));
}
