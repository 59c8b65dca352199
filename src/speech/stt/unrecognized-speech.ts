import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { SpeechActivity } from "../../media/voice-activity/speech-activity.ts";

/** Shorter pauses are a part of talking, in which nothing is forgotten. */
const PAUSE_FRAMES = 2_000 / FRAME_MS;
/**
 * How many frames after such a pause make one frame of speech forgotten. People who talk speak far more than this share
 * of the time; detectors take music and noise for speech less often.
 */
const FRAMES_TO_FORGET_ONE = 20;

/**
 * Measures the speech of which an STT has returned no transcript. Only what the call takes for speech counts, and it is
 * forgotten gradually: single sounds of a noisy line do not add up over minutes.
 */
export class UnrecognizedSpeech {
  /** In twentieths of a frame, so that it stays an integer. */
  #amount = 0;
  /** Frames since the last speech. */
  #quietFrames = 0;

  /** Takes the caller's speech at one frame. */
  frame({ edge, isSpeech, isSpeaking, speechFrames }: SpeechActivity): void {
    this.#quietFrames = isSpeaking ? 0 : this.#quietFrames + 1;
    if (edge === "started") this.#amount += speechFrames * FRAMES_TO_FORGET_ONE;
    else if (isSpeaking && isSpeech) this.#amount += FRAMES_TO_FORGET_ONE;
    else if (this.#quietFrames > PAUSE_FRAMES && this.#amount > 0) this.#amount -= 1;
  }

  /** Whether at least `durationMs` of speech has no transcript. */
  hasReached(durationMs: number): boolean {
    return this.#amount * FRAME_MS >= durationMs * FRAMES_TO_FORGET_ONE;
  }

  /** The STT has returned something, or another one gets the audio. */
  reset(): void {
    this.#amount = 0;
  }
}
