import { PHRASE_LANGUAGES_PER_CALL_MAX } from "../core/limits/agents/phrases.ts";
import type { Phrases } from "../core/phrases/names.ts";
import { builtInPhrases, ENGLISH } from "../core/phrases/phrases.ts";

/**
 * The service phrases of one call. Built-in phrases need no event. Others, an operator's or a translation, come with
 * `phrases-chosen` and are used while the call is in their language. A language without phrases uses English.
 */
export class CallPhrases {
  /**
   * By language. A translation may arrive when the call is in another language already, so each language has its own
   * entry.
   */
  readonly #chosen = new Map<string, Phrases>();

  /** Sets the `phrases` for exactly this `language`. */
  set(language: string, phrases: Phrases): void {
    this.#chosen.delete(language);
    this.#chosen.set(language, phrases);
    const [oldest] = this.#chosen.keys();
    // The gateway looks them up again when the call returns to a language.
    if (this.#chosen.size > PHRASE_LANGUAGES_PER_CALL_MAX && oldest !== undefined) this.#chosen.delete(oldest);
  }

  in(language: string): Phrases {
    return this.#chosen.get(language) ?? builtInPhrases(language) ?? ENGLISH;
  }
}
