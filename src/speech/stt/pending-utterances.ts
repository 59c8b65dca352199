import { FRAME_MS } from "../../core/limits/media.ts";
import { STT_UTTERANCE_TRANSCRIPT_MS_MAX } from "../../core/limits/stt.ts";
import { ONSET_FRAMES, type SpeechChange } from "./speech-gate.ts";

/** Shorter speech may be a cough, for which STT with interim transcripts sends nothing. */
const SPEECH_MS_MIN = 300;
/** Frames that belong to an utterance before its detected start: the gate detects speech only after its first sound. */
const PREROLL_FRAMES = 10;

/** The utterances that are over and have no transcript yet. */
export class PendingUtterances {
  #frames = 0;
  #startFrame = 0;
  #speechFrames = 0;
  /** The first frame of each pending utterance, the oldest first. */
  #pendingStartFrames: number[] = [];
  /** How many frames the oldest has been pending. */
  #waitedFrames = 0;

  /**
   * Takes the VAD's decision and the gate's change for one frame. `includesCoughs`: the STT sends a final for coughs
   * too.
   */
  frame(voiced: boolean, change: SpeechChange, includesCoughs: boolean): void {
    this.#frames += 1;
    if (this.#pendingStartFrames.length > 0) this.#waitedFrames += 1;
    if (change === "began") {
      this.#startFrame = this.#frames - PREROLL_FRAMES;
      this.#speechFrames = ONSET_FRAMES;
    } else if (voiced) {
      this.#speechFrames += 1;
    } else if (change === "ended" && (includesCoughs || this.#speechFrames * FRAME_MS >= SPEECH_MS_MIN)) {
      this.#pendingStartFrames.push(this.#startFrame);
    }
  }

  /** The oldest has been pending for longer than a working STT needs. */
  get isOverdue(): boolean {
    return this.#pendingStartFrames.length > 0 && this.#waitedFrames * FRAME_MS >= STT_UTTERANCE_TRANSCRIPT_MS_MAX;
  }

  /** How many frames ago the oldest began; 0 where there is none. */
  get oldestAgeFrames(): number {
    const [oldest] = this.#pendingStartFrames;
    return oldest === undefined ? 0 : this.#frames - oldest;
  }

  /** The oldest has its transcript. */
  resolveOldest(): void {
    this.#pendingStartFrames.shift();
    this.restartTimeout();
  }

  /** All have their transcripts. */
  resolveAll(): void {
    this.#pendingStartFrames.length = 0;
    this.restartTimeout();
  }

  /** Another stream gets the audio: the timeout starts again. */
  restartTimeout(): void {
    this.#waitedFrames = 0;
  }
}
