import { STT_UTTERANCE_TRANSCRIPT_MS_MAX } from "../../core/limits/speech-providers/stt.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { SPEECH_PREROLL_MS } from "../../media/voice-activity/segmentation.ts";
import type { SpeechActivity } from "../../media/voice-activity/speech-activity.ts";

/** Shorter speech may be a cough, for which STT with interim transcripts sends nothing. */
const SPEECH_MS_MIN = 300;
const PREROLL_FRAMES = SPEECH_PREROLL_MS / FRAME_MS;

/** The utterance that is being spoken, and those that are over and have no transcript yet. */
export class PendingUtterances {
  #frames = 0;
  /** The first frame of the current utterance, or of the last one; and the last voiced frame of it. */
  #startFrame = 0;
  #lastSpeechFrame = 0;
  #isSpeaking = false;
  /** This stream has heard speech of the current utterance. */
  #hasSpeech = false;
  /** The first frame of each pending utterance, the oldest first. */
  #pendingStartFrames: number[] = [];
  /** How many frames the oldest has been pending. */
  #waitedFrames = 0;

  /** Takes the caller's speech at one frame. `includesCoughs`: the STT sends a final for coughs too. */
  frame({ edge, isSpeech, isSpeaking, speechFrames }: SpeechActivity, includesCoughs: boolean): void {
    this.#frames += 1;
    this.#isSpeaking = isSpeaking;
    if (this.#pendingStartFrames.length > 0) this.#waitedFrames += 1;
    // The preroll never includes words of the utterance before.
    if (edge === "started") this.#startFrame = Math.max(this.#lastSpeechFrame, this.#frames - PREROLL_FRAMES);
    else if (edge === "ended") {
      if (this.#hasSpeech && (includesCoughs || speechFrames * FRAME_MS >= SPEECH_MS_MIN))
        this.#pendingStartFrames.push(this.#startFrame);
      this.#hasSpeech = false;
    }
    if (isSpeaking && isSpeech) {
      this.#lastSpeechFrame = this.#frames;
      this.#hasSpeech = true;
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

  /** How many frames ago the utterance began that is being spoken; 0 where there is none. */
  get currentAgeFrames(): number {
    return this.#isSpeaking ? this.#frames - this.#startFrame : 0;
  }

  /** How many frames ago speech was last heard. */
  get silentFrames(): number {
    return this.#frames - this.#lastSpeechFrame;
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
