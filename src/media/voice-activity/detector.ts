/**
 * When the decisions of a kind of detector mean that speech has started. `onsetSpeechFrames` of the last
 * `onsetWindowFrames` frames are voiced, and the stream started more than `settleMs` ago.
 */
export interface SpeechOnset {
  readonly onsetSpeechFrames: number;
  readonly onsetWindowFrames: number;
  /** Voiced frames are ignored for this long after the stream started: the detector has not settled. */
  readonly settleMs: number;
}
