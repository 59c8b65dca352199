import { STT_UTTERANCE_MS_MAX } from "../../core/limits/speech-providers/stt.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { SPEECH_PREROLL_MS } from "../../media/voice-activity/segmentation.ts";
import type { SpeechActivity } from "../../media/voice-activity/speech-activity.ts";

const PREROLL_FRAMES = SPEECH_PREROLL_MS / FRAME_MS;
const UTTERANCE_FRAMES_MAX = STT_UTTERANCE_MS_MAX / FRAME_MS;
const NO_SAMPLES = new Int16Array(0);

/** Divides the caller's speech into utterances, which end with the call's own speech. Storing a frame allocates nothing, as a rule. */
export class UtteranceBuffer {
  #samples = NO_SAMPLES;
  /** Where the stored samples begin and end. */
  #start = 0;
  #end = 0;
  /** The length of the longest frame; those of a resampler vary by a sample. */
  #frameSamples = 0;
  /** The buffered frames include speech, or continue an utterance that was split. */
  #hasSpeech = false;

  /** Stores a copy of `frame`; returns the utterance that ends with it, if one does. The caller owns the result. */
  write(frame: Int16Array, { edge, isSpeech, isSpeaking }: SpeechActivity): Int16Array | undefined {
    this.#append(frame);
    if (isSpeaking && isSpeech) this.#hasSpeech = true;
    if (this.#hasSpeech) {
      const isFull = this.#end - this.#start >= UTTERANCE_FRAMES_MAX * this.#frameSamples;
      if (edge !== "ended" && !isFull) return undefined;
      // What follows a full buffer is an utterance, even if it is only the pause that ends the speech.
      this.#hasSpeech = isSpeaking;
      return this.#takeUtterance();
    }
    this.#start = Math.max(this.#start, this.#end - PREROLL_FRAMES * this.#frameSamples);
    return undefined;
  }

  /** How many samples the current utterance has so far; 0 while there is none. */
  get currentSamples(): number {
    return this.#hasSpeech ? this.#end - this.#start : 0;
  }

  /** A copy of the current utterance so far, of its first `samplesMax` samples; undefined while there is none. */
  current(samplesMax = Number.POSITIVE_INFINITY): Int16Array | undefined {
    return this.#hasSpeech
      ? this.#samples.slice(this.#start, Math.min(this.#end, this.#start + samplesMax))
      : undefined;
  }

  /** Drops the first `count` samples of the current utterance: it goes on without them. */
  drop(count: number): void {
    this.#start = Math.min(this.#end, this.#start + count);
  }

  #append(frame: Int16Array): void {
    this.#frameSamples = Math.max(this.#frameSamples, frame.length);
    if (this.#end + frame.length > this.#samples.length) this.#makeRoom(frame.length);
    this.#samples.set(frame, this.#end);
    this.#end += frame.length;
  }

  /** Moves the stored samples to the front; into twice the memory where they fill more than half of it. */
  #makeRoom(count: number): void {
    const stored = this.#end - this.#start;
    const isSmall = 2 * (stored + count) > this.#samples.length;
    const samples = isSmall ? new Int16Array(Math.max(4 * (stored + count), PREROLL_FRAMES * count)) : this.#samples;
    if (isSmall) samples.set(this.#samples.subarray(this.#start, this.#end));
    else samples.copyWithin(0, this.#start, this.#end);
    this.#samples = samples;
    this.#start = 0;
    this.#end = stored;
  }

  /** The memory of a long utterance is not kept for the next one. */
  #takeUtterance(): Int16Array {
    const utterance = this.#samples.slice(this.#start, this.#end);
    this.#samples = NO_SAMPLES;
    this.#start = 0;
    this.#end = 0;
    return utterance;
  }
}
