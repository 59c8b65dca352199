import { FRAME_MS } from "../../core/limits/media.ts";

/** An STT with interim transcripts returns a word within this much speech. */
const UNRECOGNIZED_SPEECH_MS = 3_000;

/** Detects, once a call, that the STT finds no words although the caller speaks. */
export class UnrecognizedSpeech {
  #speechFrames = 0;
  #isSettled = false;

  /** Takes the voice activity of one frame; true once, after UNRECOGNIZED_SPEECH_MS of speech without a word. */
  frame(isSpeech: boolean): boolean {
    if (this.#isSettled || !isSpeech) return false;
    this.#speechFrames += 1;
    this.#isSettled = this.#speechFrames * FRAME_MS >= UNRECOGNIZED_SPEECH_MS;
    return this.#isSettled;
  }

  /** The STT has found words: the check is over for this call. */
  recognized(): void {
    this.#isSettled = true;
  }
}
