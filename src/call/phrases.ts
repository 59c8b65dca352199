import { builtInPhrases, ENGLISH, type Phrases } from "../core/phrases.ts";

/**
 * What one call says in its own name. Built-in phrases need no event; others, an operator's or a translation, are given by
 * `phrases-chosen` and hold while the call is in their language. Where a language has none, English is spoken.
 */
export class CallPhrases {
  #given: { language: string; phrases: Phrases } | undefined;

  /** `phrases` for a call in `language`, letter for letter. Those of another language are kept in case the call comes to it. */
  give(language: string, phrases: Phrases): void {
    this.#given = { language, phrases };
  }

  in(language: string): Phrases {
    return this.#given?.language === language ? this.#given.phrases : (builtInPhrases(language) ?? ENGLISH);
  }
}
