import { PHRASE_LANGUAGES_PER_CALL_MAX } from "../core/phrase-limits.ts";
import { builtInPhrases, ENGLISH, type Phrases } from "../core/phrases.ts";

/**
 * What one call says in its own name. Built-in phrases need no event; others, an operator's or a translation, come with
 * `phrases-chosen` and are used while the call is in their language. Where a language has none, English is spoken.
 */
export class CallPhrases {
  /** By language. A translation may come late, when the call is in another language already: each has a place of its own. */
  readonly #given = new Map<string, Phrases>();

  /** `phrases` for a call in `language`, letter for letter. */
  give(language: string, phrases: Phrases): void {
    this.#given.delete(language);
    this.#given.set(language, phrases);
    const [oldest] = this.#given.keys();
    // The gateway looks again when the call comes back to a language.
    if (this.#given.size > PHRASE_LANGUAGES_PER_CALL_MAX && oldest !== undefined) this.#given.delete(oldest);
  }

  in(language: string): Phrases {
    return this.#given.get(language) ?? builtInPhrases(language) ?? ENGLISH;
  }
}
