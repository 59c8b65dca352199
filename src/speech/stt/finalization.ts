import { FRAME_MS } from "../../core/limits/media.ts";
import { STT_FINALIZATION_PAUSE_MS } from "../../core/limits/stt.ts";
import type { SpeechActivity } from "../../media/voice-activity/speech-activity.ts";

const PAUSE_FRAMES = STT_FINALIZATION_PAUSE_MS / FRAME_MS;

/** When a provider is asked for the final transcript of what the caller has said: once for each pause in speech. */
export class Finalization {
  /** The provider was sent speech after the last request. */
  #hasSpeech = false;

  /** Takes the caller's speech at one frame; true where the final is to be requested after that frame. */
  frame({ edge, isSpeech, isSpeaking, silentFrames }: SpeechActivity): boolean {
    if (isSpeaking && isSpeech) this.#hasSpeech = true;
    const isPause = silentFrames >= PAUSE_FRAMES || edge === "ended";
    if (!this.#hasSpeech || !isPause) return false;
    this.#hasSpeech = false;
    return true;
  }
}
