import { FRAME_MS } from "../../core/limits/media.ts";
import { STT_UTTERANCE_MS_MAX } from "../../core/limits/stt.ts";
import { SpeechGate } from "./speech-gate.ts";

/** The same hangover as in the call: a pause in which a turn may be over. */
const HANGOVER_MS = 300;
/** Frames included from before the detected start of speech: the VAD detects speech only after its first sound. */
const PREROLL_FRAMES = 15;

/** Divides the caller's speech into utterances at the pauses. */
export class UtteranceBuffer {
  readonly #gate = new SpeechGate(HANGOVER_MS);
  #frames: Int16Array[] = [];

  /** Stores a copy of `frame`; returns the utterance that ends with it, if one does. */
  write(frame: Int16Array, voiced: boolean): Int16Array | undefined {
    this.#frames.push(frame.slice());
    const change = this.#gate.frame(voiced);
    const isFull = this.#frames.length * FRAME_MS >= STT_UTTERANCE_MS_MAX;
    if (change === "ended" || (this.#gate.speaking && isFull)) return this.#takeUtterance();
    if (!this.#gate.speaking && this.#frames.length > PREROLL_FRAMES) this.#frames.shift();
    return undefined;
  }

  /** A copy of the current utterance so far; undefined while there is none. */
  current(): Int16Array | undefined {
    return this.#gate.speaking ? this.#joined() : undefined;
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
