import type { CallEvent } from "../../call/events.ts";
import { codeOf } from "../../core/errors.ts";
import { type Logger, loggableError } from "../../core/log/logger.ts";
import type { Tts } from "../../speech/contracts.ts";
import { chooseVoice } from "../../speech/tts/voice-matching.ts";
import type { SelectedVoice } from "./tts-output.ts";

export interface VoiceSelectorOptions {
  /** The voice and the language that the call was created with. */
  initial: SelectedVoice;
  tts: Tts;
  log: Logger;
  /** Takes `voice-chosen`. */
  deliver: (event: CallEvent) => void;
  /** Aborts when the call has ended: nothing is chosen any more. */
  signal: AbortSignal;
}

/** Chooses the voice of a call when its language changes. */
export class VoiceSelector {
  readonly #options: VoiceSelectorOptions;
  /** The latest selection, which may still be pending. */
  #current: Promise<SelectedVoice>;

  constructor(options: VoiceSelectorOptions) {
    this.#options = options;
    this.#current = Promise.resolve(options.initial);
  }

  /**
   * The voice for `language`: the call's own voice in its original language, otherwise a voice of the same provider
   * that speaks the language. Where there is none, or the voices cannot be listed, the previous voice stays. Each
   * choice is delivered to the call later. Never rejects.
   */
  selectFor(language: string): Promise<SelectedVoice> {
    this.#current = this.#current.then((previous) => this.#choose(language, previous));
    return this.#current;
  }

  async #choose(language: string, previous: SelectedVoice): Promise<SelectedVoice> {
    const { initial, deliver, signal } = this.#options;
    const voiceId = language === initial.language ? initial.voiceId : await this.#find(language);
    if (signal.aborted) return previous;
    const chosen = voiceId === undefined ? previous : { voiceId, language };
    deliver({ kind: "voice-chosen", language, voiceId: chosen.voiceId, supportsLanguage: voiceId !== undefined });
    return chosen;
  }

  async #find(language: string): Promise<string | undefined> {
    const { initial, tts, log, signal } = this.#options;
    const { provider } = tts;
    try {
      const found = chooseVoice(await tts.voices(), initial.voiceId, language);
      if (found === undefined && !signal.aborted)
        log.warn({ provider, language }, "no voice speaks the call's language");
      return found?.id;
    } catch (error) {
      log.warn({ provider, code: codeOf(error), ...loggableError(error) }, "voices could not be listed");
      return undefined;
    }
  }
}
