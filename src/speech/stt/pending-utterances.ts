import { FRAME_MS } from "../../core/limits/media.ts";
import { STT_UTTERANCE_TRANSCRIPT_MS_MAX } from "../../core/limits/stt.ts";
import { ONSET_FRAMES, type SpeechChange } from "./speech-gate.ts";

/** Voice of less than this is a cough, of which an ear that listens to words tells nothing. */
const SPEECH_MS_MIN = 300;
/** In front of an utterance so much belongs to it: the gate is sure only after its first sound. */
const PREROLL_FRAMES = 10;

/** The utterances that are over and of which an ear has told nothing yet. */
export class PendingUtterances {
  #frames = 0;
  #startFrame = 0;
  #speechFrames = 0;
  /** The first frame of each, the oldest first. */
  #pendingStartFrames: number[] = [];
  /** Frames for which the oldest has waited. */
  #waitedFrames = 0;

  /** Takes one frame's decision, and what the gate says of it. `all`: of coughs something is told as well. */
  frame(voiced: boolean, change: SpeechChange, all: boolean): void {
    this.#frames += 1;
    if (this.#pendingStartFrames.length > 0) this.#waitedFrames += 1;
    if (change === "began") {
      this.#startFrame = this.#frames - PREROLL_FRAMES;
      this.#speechFrames = ONSET_FRAMES;
    } else if (voiced) {
      this.#speechFrames += 1;
    } else if (change === "ended" && (all || this.#speechFrames * FRAME_MS >= SPEECH_MS_MIN)) {
      this.#pendingStartFrames.push(this.#startFrame);
    }
  }

  /** Nobody waits so long for an ear that lives. */
  get isOverdue(): boolean {
    return this.#pendingStartFrames.length > 0 && this.#waitedFrames * FRAME_MS >= STT_UTTERANCE_TRANSCRIPT_MS_MAX;
  }

  /** How many frames have come since the oldest began; 0 where there is none. */
  get oldestAgeFrames(): number {
    const [oldest] = this.#pendingStartFrames;
    return oldest === undefined ? 0 : this.#frames - oldest;
  }

  /** The oldest was answered. */
  resolveOldest(): void {
    this.#pendingStartFrames.shift();
    this.restartTimeout();
  }

  /** All were. */
  resolveAll(): void {
    this.#pendingStartFrames.length = 0;
    this.restartTimeout();
  }

  /** Another ear is told them. */
  restartTimeout(): void {
    this.#waitedFrames = 0;
  }
}
