import { EAR_UTTERANCE_ANSWER_MS_MAX, FRAME_MS } from "../core/limits.ts";
import { ONSET_FRAMES, type VoiceChange } from "./voice-gate.ts";

/** Voice of less than this is a cough, of which an ear that listens to words tells nothing. */
const SPEECH_MS_MIN = 300;
/** In front of an utterance so much belongs to it: the gate is sure only after its first sound. */
const LEAD_FRAMES = 10;

/** The utterances that are over and of which an ear has told nothing yet. */
export class Unanswered {
  #frames = 0;
  #beganFrame = 0;
  #voicedFrames = 0;
  /** The first frame of each, the oldest first. */
  #owed: number[] = [];
  /** Frames for which the oldest has waited. */
  #waitedFrames = 0;

  /** Takes one frame's decision, and what the gate says of it. `all`: of coughs something is told as well. */
  frame(voiced: boolean, change: VoiceChange, all: boolean): void {
    this.#frames += 1;
    if (this.#owed.length > 0) this.#waitedFrames += 1;
    if (change === "began") {
      this.#beganFrame = this.#frames - LEAD_FRAMES;
      this.#voicedFrames = ONSET_FRAMES;
    } else if (voiced) {
      this.#voicedFrames += 1;
    } else if (change === "ended" && (all || this.#voicedFrames * FRAME_MS >= SPEECH_MS_MIN)) {
      this.#owed.push(this.#beganFrame);
    }
  }

  /** Nobody waits so long for an ear that lives. */
  get isOverdue(): boolean {
    return this.#owed.length > 0 && this.#waitedFrames * FRAME_MS >= EAR_UTTERANCE_ANSWER_MS_MAX;
  }

  /** How many frames have come since the oldest began; 0 where there is none. */
  get sinceFrames(): number {
    const [oldest] = this.#owed;
    return oldest === undefined ? 0 : this.#frames - oldest;
  }

  /** The oldest was answered. */
  answer(): void {
    this.#owed.shift();
    this.waitAnew();
  }

  /** All were. */
  answerAll(): void {
    this.#owed.length = 0;
    this.waitAnew();
  }

  /** Another ear is told them. */
  waitAnew(): void {
    this.#waitedFrames = 0;
  }
}
