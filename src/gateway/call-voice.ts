import type { CallEvent } from "../call/events.ts";
import { codeOf } from "../core/errors.ts";
import { type Logger, withoutForeignText } from "../core/log.ts";
import type { Tts } from "../speech/speech.ts";
import { chooseVoice } from "../speech/voice-choice.ts";
import type { SpeakingVoice } from "./voice-out.ts";

export interface CallVoiceOptions {
  /** The voice and the language that the call was created with. */
  own: SpeakingVoice;
  tts: Tts;
  log: Logger;
  /** Takes `voice-chosen`. */
  deliver: (event: CallEvent) => void;
  /** The call is over: nothing is chosen any more. */
  signal: AbortSignal;
}

/** Which voice a call speaks with while its language changes. */
export class CallVoice {
  readonly #options: CallVoiceOptions;
  /** What was asked for last, chosen or not yet. */
  #current: Promise<SpeakingVoice>;

  constructor(options: CallVoiceOptions) {
    this.#options = options;
    this.#current = Promise.resolve(options.own);
  }

  /**
   * The voice for `language`: the call's own in its own language, else one of its provider that speaks it; the one before where
   * there is none, or none can be found out about. Each choice is told to the call, later. Never rejects.
   */
  turnTo(language: string): Promise<SpeakingVoice> {
    this.#current = this.#current.then((before) => this.#choose(language, before));
    return this.#current;
  }

  async #choose(language: string, before: SpeakingVoice): Promise<SpeakingVoice> {
    const { own, deliver, signal } = this.#options;
    const voiceId = language === own.language ? own.voiceId : await this.#find(language);
    if (signal.aborted) return before;
    const chosen = voiceId === undefined ? before : { voiceId, language };
    deliver({ kind: "voice-chosen", language, voiceId: chosen.voiceId, speaksIt: voiceId !== undefined });
    return chosen;
  }

  async #find(language: string): Promise<string | undefined> {
    const { own, tts, log, signal } = this.#options;
    const { provider } = tts;
    try {
      const found = chooseVoice(await tts.voices(), own.voiceId, language);
      if (found === undefined && !signal.aborted)
        log.warn({ provider, language }, "no voice speaks the call's language");
      return found?.id;
    } catch (error) {
      log.warn({ provider, code: codeOf(error), ...withoutForeignText(error) }, "the voices could not be listed");
      return undefined;
    }
  }
}
