import type { busRateHz } from "../bus-rate.ts";

/** The rates of the bus, Hz. */
export type BusRateHz = ReturnType<typeof busRateHz>;

/** Decides for one stream, 20 ms at a time, whether somebody speaks. A decision depends on earlier frames. */
export interface VoiceActivityDetector {
  /**
   * Takes one frame of FRAME_MS at the rate for which the detector was opened; borrowed until it returns. Allocates
   * nothing. Does not depend on other streams.
   */
  isSpeech(frame: Int16Array): boolean;
  /** Frees its memory; it must not be used afterwards. */
  destroy(): void;
}

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

/** How many frames each stage of all detectors of a process decided. The object is live. */
export interface DetectorCounts {
  /** No speech, by the first stage alone. */
  readonly gateFrames: number;
  /** By the network. */
  readonly networkFrames: number;
  /** By the first stage alone, because the fallback was on. */
  readonly fallbackFrames: number;
}

/** One kind of voice activity detection, loaded once a worker: all streams share its code and its weights. */
export interface VoiceActivityDetection {
  /** Names the kind and the build that decide. It stands in journals and metrics. */
  readonly version: string;
  readonly onset: SpeechOnset;
  /** What decides while the fallback is on; undefined where there is nothing cheaper. */
  readonly fallbackVersion: string | undefined;
  readonly counts: DetectorCounts;
  /** Throws `unavailable` when there is no memory for another detector. */
  open(rateHz: BusRateHz): VoiceActivityDetector;
  /**
   * With `isOn` the cheaper detector of `fallbackVersion` decides from each stream's next frame on. Without such a
   * detector nothing changes.
   */
  setFallback(isOn: boolean): void;
}
