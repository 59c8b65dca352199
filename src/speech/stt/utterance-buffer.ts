import { FRAME_MS } from "../../core/limits/media.ts";
import { STT_UTTERANCE_MS_MAX } from "../../core/limits/stt.ts";
import { SPEECH_PREROLL_MS } from "../../media/voice-activity/segmentation.ts";
import type { SpeechActivity } from "../../media/voice-activity/speech-activity.ts";

const PREROLL_FRAMES = SPEECH_PREROLL_MS / FRAME_MS;

/** Divides the caller's speech into utterances, which end with the call's own speech. */
export class UtteranceBuffer {
  #frames: Int16Array[] = [];
  /** The buffered frames include speech, or continue an utterance that was split. */
  #hasSpeech = false;

  /** Stores a copy of `frame`; returns the utterance that ends with it, if one does. */
  write(frame: Int16Array, { edge, isSpeech, isSpeaking }: SpeechActivity): Int16Array | undefined {
    this.#frames.push(frame.slice());
    if (isSpeaking && isSpeech) this.#hasSpeech = true;
    if (this.#hasSpeech) {
      const isFull = this.#frames.length * FRAME_MS >= STT_UTTERANCE_MS_MAX;
      if (edge !== "ended" && !isFull) return undefined;
      // What follows a full buffer is an utterance, even if it is only the pause that ends the speech.
      this.#hasSpeech = isSpeaking;
      return this.#takeUtterance();
    }
    if (this.#frames.length > PREROLL_FRAMES) this.#frames.shift();
    return undefined;
  }

  /** A copy of the current utterance so far; undefined while there is none. */
  current(): Int16Array | undefined {
    return this.#hasSpeech ? this.#joined() : undefined;
  }

  #takeUtterance(): Int16Array {
    const utterance = this.#joined();
    this.#frames = [];
    return utterance;
  }

  #joined(): Int16Array {
    const utterance = new Int16Array(this.#frames.reduce((samples, frame) => samples + frame.length, 0));
    let offset = 0;
    for (const frame of this.#frames) {
      utterance.set(frame, offset);
      offset += frame.length;
    }
    return utterance;
  }
}
