import { STT_STARVED_MS } from "../../core/limits/streams/caller-audio.ts";
import type { SpeechOnset } from "./detector.ts";

/** The parameters by which the decisions for single frames become the start and the end of speech. */
export interface SegmentationParameters extends SpeechOnset {
  /** Speech has ended after this much audio without voiced frames. */
  readonly hangoverMs: number;
  /**
   * Where a carrier stops sending frames (silence suppression, loss) while the caller speaks, speech ends this much
   * later than usual.
   */
  readonly frameLossMs: number;
}

/** For the WebRTC VAD in mode 3, whose onset, hangover and settle time were measured over G.711. */
export const DEFAULT_SEGMENTATION: Readonly<SegmentationParameters> = {
  onsetSpeechFrames: 3,
  onsetWindowFrames: 5,
  hangoverMs: 300,
  settleMs: 300,
  // Speech ends in the call at the same time as in the STT, which then gets the silence that was not sent.
  frameLossMs: STT_STARVED_MS,
};

/**
 * Audio that belongs to speech from before the frame with which its start is found. It covers the longest `settleMs` and
 * the longest onset window of any detector, so that words at the very start of a call are complete.
 */
export const SPEECH_PREROLL_MS = 400;
