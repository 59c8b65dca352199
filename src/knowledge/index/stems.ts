import { newStemmer, type Stemmer } from "snowball-stemmers";
import { primaryLanguage } from "../../core/text/language-tags.ts";

/** The languages with stems, by their codes, and the names of the stemmers. */
const STEMMERS: Readonly<Record<string, string>> = {
  ar: "arabic",
  ca: "catalan",
  cs: "czech",
  da: "danish",
  de: "german",
  en: "english",
  es: "spanish",
  eu: "basque",
  fi: "finnish",
  fr: "french",
  ga: "irish",
  hu: "hungarian",
  hy: "armenian",
  it: "italian",
  nb: "norwegian",
  nl: "dutch",
  nn: "norwegian",
  no: "norwegian",
  pt: "portuguese",
  ro: "romanian",
  ru: "russian",
  sl: "slovene",
  sv: "swedish",
  ta: "tamil",
  tr: "turkish",
};

/** The languages that have stems: their codes without a region. */
export const STEMMED_LANGUAGES: readonly string[] = Object.keys(STEMMERS);

/** Words in Latin letters within texts of a language with other letters: names and technical terms, mostly English. */
const LATIN_WORD = /^[a-z'’]+$/;
const LATIN_LANGUAGE = "en";
/** Languages whose words have letters of their own script. */
const OTHER_SCRIPTS: readonly string[] = ["ar", "hy", "ru", "ta"];

/** A word takes the stemmers up to 0.2 ms, and a text repeats most of its words. When so many are known, the cache starts again. */
const CACHED_WORDS_MAX = 50_000;
/** Longer words are no words of a language: encoded data, addresses. */
const WORD_CHARS_MAX = 40;

const stemmers = new Map<string, (word: string) => string>();

/**
 * Reduces words in lower case to their stems in a language (BCP 47): `packages` to `packag`. Words in Latin letters are English to a
 * language of another script. Words of a language without stems stay as they are.
 */
export function stemmerOf(languageId: string): (word: string) => string {
  const language = primaryLanguage(languageId);
  const known = stemmers.get(language);
  if (known !== undefined) return known;
  const name = Object.hasOwn(STEMMERS, language) ? STEMMERS[language] : undefined;
  // Not remembered: clients choose the language of a question.
  if (name === undefined) return unchanged;
  const own = cached(newStemmer(name));
  const stem = OTHER_SCRIPTS.includes(language)
    ? (word: string) => (LATIN_WORD.test(word) ? latinStem(word) : own(word))
    : own;
  stemmers.set(language, stem);
  return stem;
}

const latinStem = (word: string): string => stemmerOf(LATIN_LANGUAGE)(word);

const unchanged = (word: string): string => word;

function cached(stemmer: Stemmer): (word: string) => string {
  let known = new Map<string, string>();
  return (word) => {
    if (word.length > WORD_CHARS_MAX) return word;
    const found = known.get(word);
    if (found !== undefined) return found;
    if (known.size >= CACHED_WORDS_MAX) known = new Map();
    const stem = stemmer.stem(word);
    known.set(word, stem);
    return stem;
  };
}
