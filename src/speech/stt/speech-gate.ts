import { FRAME_MS } from "../../core/limits/media.ts";

/** Speech has begun when so many of the last frames are voiced: a click is one or two. */
export const ONSET_FRAMES = 3;
const WINDOW_FRAMES = 5;
const WINDOW_MASK = 2 ** WINDOW_FRAMES - 1;

/** What one frame changes. */
export type SpeechChange = "began" | "ended" | "same";

/** Tells the beginning and the end of speech from which frames are voiced, for ears that have to know. */
export class SpeechGate {
  readonly #hangoverFrames: number;
  /** The last frames' decisions, newest in the lowest bit. */
  #window = 0;
  #silentFrames = 0;
  #speaking = false;

  /** Speech is over after `hangoverMs` without voice. */
  constructor(hangoverMs: number) {
    this.#hangoverFrames = Math.ceil(hangoverMs / FRAME_MS);
  }

  get speaking(): boolean {
    return this.#speaking;
  }

  /** Takes one frame's decision; says whether speech began or ended with it. */
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
