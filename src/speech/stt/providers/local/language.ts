import { primaryLanguage } from "../../../../core/text/language-tags.ts";

/** The language among those of a model that covers `language`: `en` for `en-US`. */
export const modelLanguage = (languages: readonly string[], language: string): string | undefined =>
  languages.find((known) => known === language) ?? languages.find((known) => known === primaryLanguage(language));
