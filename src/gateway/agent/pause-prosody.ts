import { FRAME_MS } from "../../core/limits/streams/media.ts";
import type { Prosody } from "../../media/prosody/prosody.ts";

/** Follows a caller's voice frame by frame, so that the sound before a pause can be judged. A frame allocates nothing. */
export interface VoiceTracker {
  /**
   * One frame of the caller's audio, borrowed. Returns whether the judgement of the current pause has changed with it,
   * which happens only after `atPause`.
   */
  frame(samples: Int16Array, isSpeech: boolean): boolean;
  /** How the voice sounded before the current pause; undefined until enough of it was heard. */
  atPause(): Prosody | undefined;
}

/** So many frames without voice are a pause: fewer are a part of words, and more would come too late to judge it. */
const PAUSE_FRAMES = 60 / FRAME_MS;

/** Says how the caller's voice sounded before each pause within speech: once a pause, and again where that changes. */
export class PauseProsody {
  readonly #tracker: VoiceTracker;
  #silentFrames = 0;
  #isJudged = false;

  constructor(tracker: VoiceTracker) {
    this.#tracker = tracker;
  }

  /**
   * One frame of the caller's audio, borrowed. Returns how the voice sounded with the frame that makes a pause of a
   * silence, and with one that changes that. `isWanted`: the caller was speaking, and the agent is silent.
   */
  frame(samples: Int16Array, isSpeech: boolean, isWanted: boolean): Prosody | undefined {
    const hasChanged = this.#tracker.frame(samples, isSpeech);
    this.#silentFrames = isSpeech ? 0 : this.#silentFrames + 1;
    if (isSpeech) this.#isJudged = false;
    const isPause = this.#silentFrames === PAUSE_FRAMES;
    if (!isWanted || !(isPause || (hasChanged && this.#isJudged))) return undefined;
    this.#isJudged = true;
    return this.#tracker.atPause();
  }
}
