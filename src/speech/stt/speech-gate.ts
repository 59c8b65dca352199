import { FRAME_MS } from "../../core/limits/media.ts";

/** Speech starts when this many of the last WINDOW_FRAMES are voiced; a click has one or two voiced frames. */
export const ONSET_FRAMES = 3;
const WINDOW_FRAMES = 5;
const WINDOW_MASK = 2 ** WINDOW_FRAMES - 1;

/** The change that one frame makes. */
export type SpeechChange = "began" | "ended" | "same";

/** Detects the start and the end of speech from the VAD's decisions, for STT without its own endpointing. */
export class SpeechGate {
  readonly #hangoverFrames: number;
  /** The VAD's decisions for the last frames, the newest in the lowest bit. */
  #window = 0;
  #silentFrames = 0;
  #speaking = false;

  /** Speech ends after `hangoverMs` without a voiced frame. */
  constructor(hangoverMs: number) {
    this.#hangoverFrames = Math.ceil(hangoverMs / FRAME_MS);
  }

  get speaking(): boolean {
    return this.#speaking;
  }

  /** Takes the decision for one frame; returns whether speech began or ended with it. */
  frame(voiced: boolean): SpeechChange {
    this.#window = ((this.#window << 1) | Number(voiced)) & WINDOW_MASK;
    this.#silentFrames = voiced ? 0 : this.#silentFrames + 1;
    if (this.#speaking && this.#silentFrames >= this.#hangoverFrames) {
      this.#speaking = false;
      return "ended";
    }
    if (this.#speaking || speechFramesIn(this.#window) < ONSET_FRAMES) return "same";
    this.#speaking = true;
    return "began";
  }
}

function speechFramesIn(window: number): number {
  let count = 0;
  for (let rest = window; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
