import { primaryLanguage } from "../../../../core/text/language-tags.ts";

/** The languages of `flux-general-multi` (developers.deepgram.com/docs/flux/language-prompting). */
const MULTILINGUAL_LANGUAGES: readonly string[] = "de en es fr hi it ja nl pt ru".split(" ");
const MULTILINGUAL_MODEL = /^flux-general-multi(?:-|$)/;

/** Only such a model detects languages and may be given a hint. */
const isMultilingual = (model: string): boolean => MULTILINGUAL_MODEL.test(model);

/** The languages that a Flux model transcribes, all regions of them; the other models transcribe English alone. */
export const fluxLanguages = (model: string): readonly string[] =>
  isMultilingual(model) ? MULTILINGUAL_LANGUAGES : ["en"];

/** The code of `language`, BCP 47, in `language_hint`; undefined for a language that the model does not know. */
export function fluxHint(model: string, language: string): string | undefined {
  const code = primaryLanguage(language);
  return isMultilingual(model) && MULTILINGUAL_LANGUAGES.includes(code) ? code : undefined;
}
