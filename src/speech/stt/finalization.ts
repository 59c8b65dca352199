import { STT_FINALIZATION_PAUSE_MS, STT_TURN_PAUSE_MS } from "../../core/limits/speech-providers/stt.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { DEFAULT_SEGMENTATION } from "../../media/voice-activity/segmentation.ts";
import type { SpeechActivity } from "../../media/voice-activity/speech-activity.ts";

const PAUSE_FRAMES = STT_FINALIZATION_PAUSE_MS / FRAME_MS;
const TURN_PAUSE_FRAMES = STT_TURN_PAUSE_MS / FRAME_MS;
/** Speech that ends by itself, and not because the call ends it early, ends after this pause. */
const HANGOVER_FRAMES = DEFAULT_SEGMENTATION.hangoverMs / FRAME_MS;

/** When a provider is asked for the final transcript of what the caller has said: once for each pause in speech. */
export class Finalization {
  readonly #detectsTurns: boolean;
  /** The provider was sent speech after the last request. */
  #hasSpeech = false;

  /**
   * `detectsTurns`: the provider finds the end of a turn itself. It is asked where the call has decided so first, which
   * ends speech before its pause is complete, or when it has said nothing in a long pause.
   */
  constructor({ detectsTurns = false } = {}) {
    this.#detectsTurns = detectsTurns;
  }

  /** Takes the caller's speech at one frame; true where the final is to be requested after that frame. */
  frame(activity: SpeechActivity): boolean {
    if (activity.isSpeaking && activity.isSpeech) this.#hasSpeech = true;
    if (!this.#hasSpeech || !this.#isPause(activity)) return false;
    this.#hasSpeech = false;
    return true;
  }

  /** The provider has sent the final by itself: only speech from now on needs a request. */
  finished(): void {
    this.#hasSpeech = false;
  }

  #isPause({ edge, silentFrames }: SpeechActivity): boolean {
    if (!this.#detectsTurns) return silentFrames >= PAUSE_FRAMES || edge === "ended";
    return silentFrames >= TURN_PAUSE_FRAMES || (edge === "ended" && silentFrames < HANGOVER_FRAMES);
  }
}
