import type { SpeechSpan } from "../../../core/transcriptions/estimated-times.ts";
import { BATCH_RATE_HZ } from "./contract.ts";

const STEP_MS = 20;
const STEP_SAMPLES = (STEP_MS * BATCH_RATE_HZ) / 1_000;
/** Shorter pauses are within words. */
const WORD_PAUSE_MS = 200;
/** Quieter audio is silence: 60 dB below the full scale. */
const SILENCE_LEVEL = 32;
/** So far below its loudest tenth, audio is no speech: 26 dB. */
const SPEECH_SHARE = 0.05;

/**
 * Where in a part of a recording there is sound, in ms; none in silence. Pauses shorter than `pauseMs` are in the sound. Nothing that
 * can be heard is left out.
 */
export const soundSpans = (samples: Int16Array, pauseMs: number): SpeechSpan[] =>
  spansAbove(SILENCE_LEVEL, levelsOf(samples), pauseMs);

/**
 * Where in a part of a recording someone can have spoken, by its level alone, in ms. It divides words among these times, and is no
 * voice activity detection: a quiet voice beside a loud one is left out.
 */
export function speechSpans(samples: Int16Array): SpeechSpan[] {
  const levels = levelsOf(samples);
  const loud = levels.toSorted()[Math.floor(levels.length * 0.9)] ?? 0;
  return spansAbove(Math.max(SILENCE_LEVEL, SPEECH_SHARE * loud), levels, WORD_PAUSE_MS);
}

function spansAbove(threshold: number, levels: Float64Array, pauseMs: number): SpeechSpan[] {
  const spans: { startMs: number; endMs: number }[] = [];
  levels.forEach((level, step) => {
    if (level < threshold) return;
    const startMs = step * STEP_MS;
    const last = spans.at(-1);
    if (last !== undefined && startMs - last.endMs < pauseMs) last.endMs = startMs + STEP_MS;
    else spans.push({ startMs, endMs: startMs + STEP_MS });
  });
  return spans;
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
