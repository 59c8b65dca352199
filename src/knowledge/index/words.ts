import { primaryLanguage } from "../../core/text/language-tags.ts";
import { stemmerOf } from "./stems.ts";

/** The longest term of the index, in UTF-16 units: what is longer is no word of a question. */
const TERM_CHARS_MAX = 64;

/** Letters of scripts whose words are not separated and whose dictionaries split a question and a text differently, and of Korean. */
const BIGRAM_SCRIPTS =
  /(?:(?=[\p{L}\p{M}\p{N}])[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}ー])+/gu;
const HAS_BIGRAM_SCRIPT = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
/** What separates the parts of a word: "example.com" has two. */
const SEPARATORS = /[^\p{L}\p{N}\p{M}'’]+/u;
const APOSTROPHES = /['’]/g;
/** An article or a preposition before a vowel, which is written with its noun: "l'ordinateur", "dell'uso". */
const ELISION = /^\p{L}{1,6}['’](?=\p{L}{2})/u;
const ELIDING_LANGUAGES: readonly string[] = ["ca", "fr", "it"];
/** The first half of a letter of two units. */
const HALF_LETTER = /[\ud800-\udbff]$/;
const HAS_LETTER = /[\p{L}\p{N}]/u;
const ASCII = /^[a-z0-9]*$/;
/** Marks on Latin letters, which people often leave out: "cafe", "uber". */
const LATIN_MARKS = /(?<=\p{Script=Latin})\p{M}+/gu;

// ICU knows no word boundaries that depend on the language, but for dictionaries of scripts, which it finds by itself.
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/**
 * The terms of a text, by which it is found, in their order and with repetitions: stems of its words in a language (BCP 47), without case
 * and without accents of Latin letters. Chinese, Japanese and Korean are pairs of letters; Thai, Lao, Khmer and Burmese the words of a
 * dictionary. A term has letters, marks and digits only.
 */
export function termsOf(text: string, languageId: string): string[] {
  const language = primaryLanguage(languageId);
  const stem = stemmerOf(language);
  const elides = ELIDING_LANGUAGES.includes(language);
  const normal = text.normalize("NFKC");
  const lower = language === "tr" || language === "az" ? normal.toLocaleLowerCase("tr") : normal.toLowerCase();
  const terms: string[] = [];
  const add = (segment: string): void => {
    for (const part of segment.split(SEPARATORS)) {
      const word = elides ? part.replace(ELISION, "") : part;
      const term = folded(stem(word)).slice(0, TERM_CHARS_MAX).replace(HALF_LETTER, "");
      if (term !== "" && HAS_LETTER.test(term)) terms.push(term);
    }
  };
  if (!HAS_BIGRAM_SCRIPT.test(lower)) addWords(lower, add);
  else addMixed(lower, add, terms);
  return terms;
}

function addWords(text: string, add: (word: string) => void): void {
  for (const { segment, isWordLike } of segmenter.segment(text)) if (isWordLike === true) add(segment);
}

/** Bigrams of the scripts that have them, and the words between. */
function addMixed(text: string, add: (word: string) => void, terms: string[]): void {
  let end = 0;
  for (const { 0: run, index } of text.matchAll(BIGRAM_SCRIPTS)) {
    addWords(text.slice(end, index), add);
    addBigrams(run, terms);
    end = index + run.length;
  }
  addWords(text.slice(end), add);
}

function addBigrams(run: string, terms: string[]): void {
  const letters = [...run];
  if (letters.length === 1) terms.push(run);
  for (let at = 1; at < letters.length; at++) terms.push(`${letters[at - 1]}${letters[at]}`);
}

/** Without apostrophes, and without marks on Latin letters. */
function folded(stem: string): string {
  if (ASCII.test(stem)) return stem;
  return stem
    .replace(APOSTROPHES, "")
    .replaceAll("ß", "ss")
    .toLowerCase()
    .normalize("NFD")
    .replace(LATIN_MARKS, "")
    .normalize("NFC");
}
