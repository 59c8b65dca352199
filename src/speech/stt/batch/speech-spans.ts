import type { SpeechSpan } from "../../../core/transcriptions/estimated-times.ts";
import { BATCH_RATE_HZ } from "./contract.ts";

const STEP_MS = 20;
const STEP_SAMPLES = (STEP_MS * BATCH_RATE_HZ) / 1_000;
/** Shorter pauses are within words. */
const PAUSE_STEPS = 200 / STEP_MS;
/** Quieter audio is silence: 60 dB below the full scale. */
const SILENCE_LEVEL = 32;
/** So far below its loudest tenth, audio is no speech: 26 dB. */
const SPEECH_SHARE = 0.05;

/**
 * Where in a part of a recording there is sound, by its level alone, in ms; empty for silence. It divides words among the times in which
 * they can have been said, and is no voice activity detection.
 */
export function speechSpans(samples: Int16Array): SpeechSpan[] {
  const levels = levelsOf(samples);
  const loud = levels.toSorted()[Math.floor(levels.length * 0.9)] ?? 0;
  const threshold = Math.max(SILENCE_LEVEL, SPEECH_SHARE * loud);
  const spans: { from: number; to: number }[] = [];
  levels.forEach((level, step) => {
    if (level < threshold) return;
    const last = spans.at(-1);
    if (last !== undefined && step - last.to <= PAUSE_STEPS) last.to = step + 1;
    else spans.push({ from: step, to: step + 1 });
  });
  return spans.map(({ from, to }) => ({ startMs: from * STEP_MS, endMs: to * STEP_MS }));
}

/** The root mean square of each step. */
function levelsOf(samples: Int16Array): Float64Array {
  const levels = new Float64Array(Math.ceil(samples.length / STEP_SAMPLES));
  for (let step = 0; step < levels.length; step += 1) {
    const part = samples.subarray(step * STEP_SAMPLES, (step + 1) * STEP_SAMPLES);
    let sum = 0;
    for (const sample of part) sum += sample * sample;
    levels[step] = Math.sqrt(sum / part.length);
  }
  return levels;
}

/** The length of a part, ms. */
export const durationMsOf = (samples: Int16Array): number => (samples.length * 1_000) / BATCH_RATE_HZ;
