import type { Voice } from "./contracts.ts";

/** A language that can be spoken, as `GET /languages` lists it. */
export interface Language {
  /** BCP 47: a language (`en`), or a language and a region (`en-US`). */
  code: string;
  /** In English. */
  name: string;
  /** How many voices speak it; a voice of `en-US` also speaks `en`. */
  voices: number;
}

const NAMES = new Intl.DisplayNames(["en"], { type: "language", fallback: "none" });
const nameOf = remembered((code) => NAMES.of(code) ?? null);

/** The languages of some voices, by code. */
export function listLanguages(voices: readonly Voice[]): Language[] {
  const languages = new Map<string, Language>();
  for (const voice of voices) {
    for (const code of languageCodes(voice.language)) {
      // A language that nobody but its voice has a name for, an invented one for example, is called as the voice is.
      const language = languages.get(code) ?? { code, name: nameOf(code) ?? voice.name, voices: 0 };
      language.voices += 1;
      languages.set(code, language);
    }
  }
  return [...languages.values()].sort((a, b) => (a.code < b.code ? -1 : 1));
}

/** The codes under which a voice of language `tag` (BCP 47) is found: `en-GB-x-rp` is `en` and `en-GB`. */
export const languageCodes = remembered((tag): readonly string[] => {
  const { language, region } = new Intl.Locale(tag);
  return region === undefined ? [language] : [language, `${language}-${region}`];
});

/** What stands for no language, or for several. */
const NO_LANGUAGES: readonly string[] = ["und", "mul", "mis", "zxx"];
/** Far above any tag that there is. */
const TAG_CHARS_MAX = 35;

/**
 * The code, as `listLanguages` has them, of a language that an engine names: `de` of `deu`, `en-GB` of `en-gb-x-rp`; undefined
 * where it names none.
 */
export function languageCode(tag: string): string | undefined {
  if (tag.length > TAG_CHARS_MAX) return undefined;
  try {
    const { language, region } = new Intl.Locale(tag);
    // A longer one is well-formed, and nobody's: engines that say `english` would be taken at their word.
    if (language.length > 3 || NO_LANGUAGES.includes(language)) return undefined;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return undefined;
  }
}

/**
 * The same, worked out once for each text; give it none but those of voices, which are few. Every call that is created asks for
 * the languages of all voices, which Intl takes 2.4 ms for with 140 of them (measured).
 */
function remembered<Value extends NonNullable<unknown> | null>(of: (text: string) => Value): (text: string) => Value {
  const known = new Map<string, Value>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    const value = of(text);
    known.set(text, value);
    return value;
  };
}
