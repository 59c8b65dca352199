import { primaryLanguage } from "../../core/text/language-tags.ts";
import type { Word } from "../ranking/candidates.ts";
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

/** A text of these characters only, in lower case, has its words where PLAIN_WORD matches: there are no marks and no invisible characters. */
const PLAIN_TEXT =
  /^[\t\n\r -~\u00a0-\u00ac\u00ae-\u024f\u0400-\u0481\u048a-\u052f\u2010-\u2027\u2030-\u205e\u20a0-\u20bf]*$/;
/** Latin and Cyrillic letters and digits; an apostrophe is part of a word between two letters or two digits. */
const PLAIN_WORD =
  /[a-zß-öø-ɏЀ-ҁҊ-ԯ0-9]+(?:(?:(?<=[a-zß-öø-ɏЀ-ҁҊ-ԯ])['’](?=[a-zß-öø-ɏЀ-ҁҊ-ԯ])|(?<=[0-9])['’](?=[0-9]))[a-zß-öø-ɏЀ-ҁҊ-ԯ0-9]+)*/g;

// ICU knows no word boundaries that depend on the language, but for dictionaries of scripts, which it finds by itself.
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/**
 * The words of a text, in their order and with repetitions, without case and without accents of Latin letters. Their terms, by which the
 * text is found, are their stems in a language (BCP 47). Chinese, Japanese and Korean are pairs of letters; Thai, Lao, Khmer and Burmese
 * the words of a dictionary. A term has letters, marks and digits only.
 */
export function wordsOf(text: string, languageId: string): Word[] {
  const language = primaryLanguage(languageId);
  const stem = stemmerOf(language);
  const elides = ELIDING_LANGUAGES.includes(language);
  const normal = text.normalize("NFKC");
  const lower = language === "tr" || language === "az" ? normal.toLocaleLowerCase("tr") : normal.toLowerCase();
  const words: Word[] = [];
  const add = (part: string): void => {
    const word = elides ? part.replace(ELISION, "") : part;
    const term = folded(stem(word)).slice(0, TERM_CHARS_MAX).replace(HALF_LETTER, "");
    if (term !== "" && HAS_LETTER.test(term)) words.push({ term, form: folded(word) });
  };
  if (!HAS_BIGRAM_SCRIPT.test(lower)) addWords(lower, add);
  else addMixed(lower, add, words);
  return words;
}

/** The terms of a text, as `wordsOf`. */
export const termsOf = (text: string, languageId: string): string[] =>
  wordsOf(text, languageId).map(({ term }) => term);

/** The words of a chunk, by which it is found: those of its headings, and of its text. */
export const wordsOfChunk = (headings: readonly string[], text: string, languageId: string): Word[] =>
  wordsOf(headings.length === 0 ? text : `${headings.join("\n")}\n${text}`, languageId);

function addWords(text: string, add: (word: string) => void): void {
  // ICU finds the same words in such texts, and takes many times as long.
  if (PLAIN_TEXT.test(text)) {
    for (const word of text.match(PLAIN_WORD) ?? []) add(word);
    return;
  }
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike === true) for (const part of segment.split(SEPARATORS)) add(part);
  }
}

/** Bigrams of the scripts that have them, and the words between. */
function addMixed(text: string, add: (word: string) => void, words: Word[]): void {
  let end = 0;
  for (const { 0: run, index } of text.matchAll(BIGRAM_SCRIPTS)) {
    addWords(text.slice(end, index), add);
    addBigrams(run, words);
    end = index + run.length;
  }
  addWords(text.slice(end), add);
}

function addBigrams(run: string, words: Word[]): void {
  const add = (term: string): void => void words.push({ term, form: term });
  const letters = [...run];
  if (letters.length === 1) add(run);
  for (let at = 1; at < letters.length; at++) add(`${letters[at - 1]}${letters[at]}`);
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
