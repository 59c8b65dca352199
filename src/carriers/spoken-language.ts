import { primaryLanguage } from "../core/text/language-tags.ts";

/**
 * The tag among `supported` for a text in `language`: this one, or else the first of the same language. Undefined for another language:
 * the carrier's default speaks it then, since a carrier may drop a document with a tag that it does not know.
 */
export const spokenLanguage = (language: string | undefined, supported: readonly string[]): string | undefined =>
  language === undefined
    ? undefined
    : (supported.find((tag) => tag.toLowerCase() === language.toLowerCase()) ??
      supported.find((tag) => primaryLanguage(tag) === primaryLanguage(language)));
