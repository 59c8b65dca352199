import { PHRASE_LANGUAGES_PER_CALL_MAX } from "../core/limits/phrases.ts";
import { builtInPhrases, ENGLISH, type Phrases } from "../core/phrases/phrases.ts";

/**
 * What one call says in its own name. Built-in phrases need no event; others, an operator's or a translation, come with
 * `phrases-chosen` and are used while the call is in their language. Where a language has none, English is spoken.
 */
export class CallPhrases {
  /** By language. A translation may come late, when the call is in another language already: each has a place of its own. */
  readonly #chosen = new Map<string, Phrases>();

  /** `phrases` for a call in `language`, letter for letter. */
  set(language: string, phrases: Phrases): void {
    this.#chosen.delete(language);
    this.#chosen.set(language, phrases);
    const [oldest] = this.#chosen.keys();
    // The gateway looks again when the call comes back to a language.
    if (this.#chosen.size > PHRASE_LANGUAGES_PER_CALL_MAX && oldest !== undefined) this.#chosen.delete(oldest);
  }

  in(language: string): Phrases {
    return this.#chosen.get(language) ?? builtInPhrases(language) ?? ENGLISH;
  }
}
