import { strict as assert } from "node:assert";
import { addMs, type CallMs, callMs, elapsedMs, type MediaMs, mediaMs } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { ArrivalInterval } from "../arrival-interval.ts";
import type { SegmentationParameters } from "./segmentation.ts";
import type { SegmentState, SpeechEdge } from "./speech-activity.ts";

/** Longer gaps have no further effect. */
const GAP_FRAMES_MAX = 100;
const WINDOW_BITS_MAX = 31;

/**
 * Derives the start and the end of speech from the decisions for single frames. A call has one; everything that depends
 * on the caller's speech gets its edges. Allocates nothing.
 *
 * Pauses are measured in the carrier's media time, so that a burst of delayed frames does not look like a short pause;
 * a gap in media time is silence.
 */
export class SpeechSegmenter implements SegmentState {
  readonly #parameters: Readonly<SegmentationParameters>;
  /** The decisions for the last frames, newest in the lowest bit. */
  #window = 0;
  readonly #arrivalInterval = new ArrivalInterval();
  readonly #windowMask: number;
  #isSpeech = false;
  #isSpeaking = false;
  #speechFrames = 0;
  #silentMs = 0;
  #seenMs = 0;
  #lastMediaMs = mediaMs(Number.NaN);
  /**
   * Computed once a frame received: its getter stays so small that V8 always inlines it. Otherwise it would allocate a
   * number for each frame sent.
   */
  #deadlineMs = callMs(Number.POSITIVE_INFINITY);
  #lastSpeechMs = callMs(Number.NaN);
  #speechStartMs = callMs(Number.NaN);

  constructor(parameters: Readonly<SegmentationParameters>) {
    assert.ok(parameters.onsetWindowFrames <= WINDOW_BITS_MAX);
    assert.ok(parameters.onsetSpeechFrames <= parameters.onsetWindowFrames);
    this.#parameters = parameters;
    this.#windowMask = 2 ** parameters.onsetWindowFrames - 1;
  }

  get isSpeech(): boolean {
    return this.#isSpeech;
  }

  get isSpeaking(): boolean {
    return this.#isSpeaking;
  }

  get speechFrames(): number {
    return this.#speechFrames;
  }

  /** How long the silence after the last voiced frame has lasted, in media time, ms; 0 after a voiced frame. */
  get silentMs(): number {
    return this.#silentMs;
  }

  /** When the last voiced frame came, ms; NaN before the first. */
  get lastSpeechMs(): CallMs {
    return this.#lastSpeechMs;
  }

  /** When the current speech, or the last one, started, ms. */
  get speechStartMs(): CallMs {
    return this.#speechStartMs;
  }

  /** When speech ends because no frames arrive; Infinity while there is no speech. */
  get deadlineMs(): CallMs {
    return this.#deadlineMs;
  }

  /** Takes one frame's decision; returns whether speech started or ended with it. */
  frame(isSpeech: boolean, mediaMs: MediaMs, nowMs: CallMs): SpeechEdge {
    const stepMs = Number.isNaN(this.#lastMediaMs)
      ? FRAME_MS
      : Math.max(FRAME_MS, elapsedMs(this.#lastMediaMs, mediaMs));
    const missedFrames = Math.min(GAP_FRAMES_MAX, Math.round(stepMs / FRAME_MS) - 1);
    if (missedFrames > 0) this.#window = 0;
    this.#lastMediaMs = mediaMs;
    this.#arrivalInterval.frame(missedFrames === 0, nowMs);
    this.#seenMs += stepMs;

    this.#isSpeech = isSpeech && this.#seenMs > this.#parameters.settleMs;
    this.#window = ((this.#window << 1) | (this.#isSpeech ? 1 : 0)) & this.#windowMask;
    this.#silentMs = this.#isSpeech ? 0 : this.#silentMs + stepMs;
    // A pause that is long enough ends speech even where this frame is voiced again.
    const isPause =
      this.#silentMs >= this.#parameters.hangoverMs || missedFrames * FRAME_MS >= this.#parameters.hangoverMs;
    if (this.#isSpeaking && isPause) {
      this.#isSpeaking = false;
      this.#deadlineMs = callMs(Number.POSITIVE_INFINITY);
      return "ended";
    }
    if (this.#isSpeech) this.#lastSpeechMs = nowMs;
    const isStart = !this.#isSpeaking && bitCount(this.#window) >= this.#parameters.onsetSpeechFrames;
    if (isStart) {
      this.#isSpeaking = true;
      this.#speechFrames = bitCount(this.#window);
      this.#speechStartMs = addMs(nowMs, -(highestBit(this.#window) * FRAME_MS));
    } else if (this.#isSpeech && this.#isSpeaking) this.#speechFrames += 1;
    if (this.#isSpeaking)
      this.#deadlineMs = addMs(addMs(nowMs, this.#parameters.frameLossMs), this.#arrivalInterval.slackMs);
    return isStart ? "started" : "same";
  }

  /**
   * The caller's turn is over before the hangover has passed: speech ends with the last frame. To start again it takes
   * as many voiced frames as after silence.
   */
  endSpeech(): void {
    this.#end();
  }

  /** The deadline has passed: no frame arrived for so long that speech has ended. */
  framesStopped(): void {
    this.#end();
  }

  #end(): void {
    this.#isSpeaking = false;
    this.#deadlineMs = callMs(Number.POSITIVE_INFINITY);
    this.#window = 0;
  }
}

function bitCount(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}

const highestBit = (bits: number): number => 31 - Math.clz32(bits);
