import { callMs, mediaMs } from "../../src/core/clocks.ts";
import { CARRIER_FRAME_SAMPLES, CARRIER_RATE_HZ, FRAME_MS } from "../../src/core/limits/streams/media.ts";
import type { SpeechOnset } from "../../src/media/voice-activity/detector.ts";
import { DEFAULT_SEGMENTATION } from "../../src/media/voice-activity/segmentation.ts";
import { SpeechSegmenter } from "../../src/media/voice-activity/segmenter.ts";
import type { Truth } from "./truth.ts";

/** The pause that ends a turn, in frames without voice. */
const ENDPOINT_FRAMES = 500 / FRAME_MS;
const SAMPLES_PER_MS = CARRIER_RATE_HZ / 1_000;

/** What a detector found on tapes, in counts, so that tapes can be added. */
export interface Measures {
  clearFrames: number;
  missedFrames: number;
  /** Frames without speech, and those of them that were called speech. */
  silentFrames: number;
  falseFrames: number;
  /** How often speech started in them. */
  falseStarts: number;
  utterances: number;
  /** Utterances in which speech never started, and those before which it had started already. */
  lost: number;
  early: number;
  /** Of the others: from the first clear sample to the end of the frame with which speech started. */
  onsetsMs: number[];
  oneSentences: number;
  /** Those with half a second without a voiced frame before their last clear sample. */
  cut: number;
}

export const NO_MEASURES: Readonly<Measures> = {
  clearFrames: 0,
  missedFrames: 0,
  silentFrames: 0,
  falseFrames: 0,
  falseStarts: 0,
  utterances: 0,
  lost: 0,
  early: 0,
  onsetsMs: [],
  oneSentences: 0,
  cut: 0,
};

/** Several tapes as one. */
export function added(all: readonly Measures[]): Measures {
  const sum: Measures = { ...NO_MEASURES, onsetsMs: all.flatMap(({ onsetsMs }) => onsetsMs) };
  for (const { onsetsMs, ...counts } of all) {
    for (const name of Object.keys(counts) as (keyof typeof counts)[]) sum[name] += counts[name];
  }
  return sum;
}

/** Compares `decisions`, one a frame and 1 for voiced, with the truth of the tape. */
export function measure(decisions: Uint8Array, truth: Truth, onset: SpeechOnset): Measures {
  const starts = startsOf(decisions, onset);
  const measures: Measures = { ...NO_MEASURES, onsetsMs: [] };
  for (const [frame, decision] of decisions.entries()) {
    if (truth.clear[frame] === 1) {
      measures.clearFrames += 1;
      measures.missedFrames += 1 - decision;
    }
    if (truth.silent[frame] === 1) {
      measures.silentFrames += 1;
      measures.falseFrames += decision;
      measures.falseStarts += starts.startedAt[frame] as number;
    }
  }
  for (const utterance of truth.utterances) {
    const firstFrame = Math.floor(utterance.from / CARRIER_FRAME_SAMPLES);
    const lastFrame = Math.floor((utterance.to - 1) / CARRIER_FRAME_SAMPLES);
    measures.utterances += 1;
    const startFrame = starts.startedAt.subarray(firstFrame, lastFrame + 1).indexOf(1) + firstFrame;
    if (firstFrame > 0 && starts.speaking[firstFrame - 1] === 1) measures.early += 1;
    else if (startFrame < firstFrame) measures.lost += 1;
    else measures.onsetsMs.push((startFrame + 1) * FRAME_MS - utterance.from / SAMPLES_PER_MS);
    if (utterance.isOneSentence !== true) continue;
    measures.oneSentences += 1;
    measures.cut += isCut(decisions.subarray(firstFrame, lastFrame + 1)) ? 1 : 0;
  }
  return measures;
}

/** Half a second without voice after the first voiced frame: a turn would have ended before the utterance did. */
function isCut(decisions: Uint8Array): boolean {
  let unvoiced = Number.NEGATIVE_INFINITY;
  for (const decision of decisions) {
    unvoiced = decision === 1 ? 0 : unvoiced + 1;
    if (unvoiced >= ENDPOINT_FRAMES) return true;
  }
  return false;
}

/** In which frames speech starts, and during which it goes on, for a call with these decisions. */
export function startsOf(decisions: Uint8Array, onset: SpeechOnset): { startedAt: Uint8Array; speaking: Uint8Array } {
  const segmenter = new SpeechSegmenter({ ...DEFAULT_SEGMENTATION, ...onset });
  const startedAt = new Uint8Array(decisions.length);
  const speaking = new Uint8Array(decisions.length);
  for (const [frame, decision] of decisions.entries()) {
    const atMs = (frame + 1) * FRAME_MS;
    if (segmenter.frame(decision === 1, mediaMs(atMs), callMs(atMs)) === "started") startedAt[frame] = 1;
    speaking[frame] = segmenter.isSpeaking ? 1 : 0;
  }
  return { startedAt, speaking };
}
