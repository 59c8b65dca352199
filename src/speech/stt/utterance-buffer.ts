import { FRAME_MS } from "../../core/limits/media.ts";
import { STT_UTTERANCE_MS_MAX } from "../../core/limits/stt.ts";
import { SpeechGate } from "./speech-gate.ts";

/** As much as ends speech for the call itself: a pause in which a turn may be over. */
const HANGOVER_MS = 300;
/** What stands in front of the voice: the detector is sure of it only after its first sound. */
const PREROLL_FRAMES = 15;

/** Cuts what somebody says into utterances, at their pauses. */
export class UtteranceBuffer {
  readonly #gate = new SpeechGate(HANGOVER_MS);
  #frames: Int16Array[] = [];

  /** Takes one frame, lent; the utterance that is over with it, if one is. */
  write(frame: Int16Array, voiced: boolean): Int16Array | undefined {
    this.#frames.push(frame.slice());
    const change = this.#gate.frame(voiced);
    const isFull = this.#frames.length * FRAME_MS >= STT_UTTERANCE_MS_MAX;
    if (change === "ended" || (this.#gate.speaking && isFull)) return this.#takeUtterance();
    if (!this.#gate.speaking && this.#frames.length > PREROLL_FRAMES) this.#frames.shift();
    return undefined;
  }

  #takeUtterance(): Int16Array {
    const utterance = new Int16Array(this.#frames.reduce((samples, frame) => samples + frame.length, 0));
    let at = 0;
    for (const frame of this.#frames) {
      utterance.set(frame, at);
      at += frame.length;
    }
    this.#frames = [];
    return utterance;
  }
}
