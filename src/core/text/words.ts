import { primaryLanguage } from "./language-tags.ts";
import { isOneNumber } from "./numerals.ts";

/** The most cached segmenters: clients choose the language of a call and must not be able to fill the memory. */
const LOCALES_MAX = 64;
/** The root locale, for tags without a language. */
const OTHER_LOCALE = "en";

const wordSegmenters = new Map<string, Intl.Segmenter>();

/** One cached segmenter per language, because creating one takes much longer than using it. `language` is BCP 47; its region has no effect. */
function wordSegmenter(language: string): Intl.Segmenter {
  const primary = primaryLanguage(language);
  const locale = /^[a-z]{2,3}$/.test(primary) ? primary : OTHER_LOCALE;
  const known = wordSegmenters.get(locale);
  if (known !== undefined) return known;
  if (wordSegmenters.size >= LOCALES_MAX && locale !== OTHER_LOCALE) return wordSegmenter(OTHER_LOCALE);
  const made = new Intl.Segmenter(locale, { granularity: "word" });
  wordSegmenters.set(locale, made);
  return made;
}

/** The normalized form in which two spellings of the same words are equal: letters, marks and digits, without case. */
export const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "");

/**
 * A text that continues the word before it: "bob@example.com", "5:30", "twenty-five", "5%", "5 €". Intl.Segmenter ends a word before
 * most of these. "$" before a digit belongs to the next word.
 */
const WORD_EXTENSION =
  /^(?:[-\u2010\u2011:@/&.'’_＠／＆－]+[\p{L}\p{N}]|：\p{N}|[\p{S}%％٪‰#]|\s+(?:[%％٪‰°]|\p{Sc}(?!\p{N})))/u;

/**
 * The rest of `text` after the words of `beginning`, regardless of case and punctuation; empty when nothing follows. Undefined when
 * `text` begins with other words, also when only a part of a word is equal ("for" and "forty", "5" and "5:30").
 */
export function textAfter(beginning: string, text: string, language: string): string | undefined {
  const letters = lettersOf(beginning);
  let matched = 0;
  let end = 0;
  let last = "";
  const segments = wordSegmenter(language).segment(text);
  for (const { segment, index } of segments) {
    if (matched === letters.length) break;
    const word = lettersOf(segment);
    if (word === "") continue;
    if (!letters.startsWith(word, matched)) return undefined;
    matched += word.length;
    end = index + segment.length;
    last = segment;
  }
  if (matched < letters.length) return undefined;
  const rest = text.slice(end);
  if (WORD_EXTENSION.test(rest) || isOneNumber(last, segments.containing(end)?.segment ?? "")) return undefined;
  // Punctuation after the last word belongs to it.
  return rest.replace(/^[^\s\p{L}\p{N}]+/u, "").trim();
}

/** Letters of scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** The scripts of those that have no spaces between sentences either, with their punctuation. */
const UNSPACED_SENTENCES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff00-\uff65]/u;

/** Whether `text` has a letter of a script that is written without spaces between words. */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

/**
 * The ends of the words of `text`, in UTF-16 units, ascending. Words are separated by spaces; in scripts without spaces they are
 * those of Intl.Segmenter for `language`, each with the punctuation after it.
 */
export function wordEnds(text: string, language: string): number[] {
  const ends: number[] = [];
  for (const { 0: token, index } of text.matchAll(/\S+/g)) {
    if (!isUnspaced(token)) ends.push(index + token.length);
    else ends.push(...endsWithin(token, language).map((end) => index + end));
  }
  return ends;
}

function endsWithin(token: string, language: string): number[] {
  const ends: number[] = [];
  for (const { segment, index } of wordSegmenter(language).segment(token)) {
    const end = index + segment.length;
    // Punctuation belongs to the word before it, and at the beginning to the word after it.
    if (lettersOf(segment) !== "") ends.push(end);
    else if (ends.length > 0) ends[ends.length - 1] = end;
  }
  return ends.length > 0 ? ends : [token.length];
}

/** The words of `text`, split at `wordEnds`. */
export function wordsOf(text: string, language: string): string[] {
  let from = 0;
  return wordEnds(text, language).map((end) => {
    const word = text.slice(from, end).trim();
    from = end;
    return word;
  });
}

/** Joins two texts with a space, or without one between letters of scripts that have none between sentences. */
export const joinTexts = (before: string, after: string): string => joinTwo(before, after, hasSpaceBetweenTexts);

/** Joins texts as `joinTexts` does, in time that grows with their length. */
export const joinAllTexts = (texts: readonly string[]): string => joinAll(texts, hasSpaceBetweenTexts);

/** Joins two words with a space, or without one between letters of scripts that have none between words. */
export const joinWords = (before: string, after: string): string => joinTwo(before, after, hasSpaceBetweenWords);

/** Joins words as `joinWords` does, in time that grows with their length. */
export const joinAllWords = (words: readonly string[]): string => joinAll(words, hasSpaceBetweenWords);

type HasSpaceBetween = (before: string, after: string) => boolean;

function joinTwo(before: string, after: string, hasSpaceBetween: HasSpaceBetween): string {
  if (before === "") return after;
  if (after === "") return before;
  return hasSpaceBetween(before, after) ? `${before} ${after}` : before + after;
}

/** Joins what is not empty. Only neighbours are compared: the last character of a text that grows would cost a copy of it. */
function joinAll(texts: readonly string[], hasSpaceBetween: HasSpaceBetween): string {
  const pieces: string[] = [];
  for (const text of texts) {
    if (text === "") continue;
    const before = pieces.at(-1);
    if (before !== undefined && hasSpaceBetween(before, text)) pieces.push(" ");
    pieces.push(text);
  }
  return pieces.join("");
}

const hasSpaceBetweenTexts: HasSpaceBetween = (before, after) =>
  !(UNSPACED_SENTENCES.test(before.slice(-1)) && UNSPACED_SENTENCES.test(after.slice(0, 1)));

/** Whether two words that follow each other have a space between them. */
export const hasSpaceBetweenWords: HasSpaceBetween = (before, after) =>
  !(isUnspaced(before.slice(-1)) && isUnspaced(after.slice(0, 1))) && hasSpaceBetweenTexts(before, after);
