import { isOneNumber } from "./numerals.ts";

/** Locales whose segmenters are cached: peers choose the language of a call, and must not fill the memory. */
const LOCALES_MAX = 64;
/** Word rules of the root locale, for tags that name no language. */
const OTHER_LOCALE = "en";

const wordSegmenters = new Map<string, Intl.Segmenter>();

/** One segmenter a language, for making one takes far longer than using it. `language` is BCP 47; the region changes nothing. */
function wordSegmenter(language: string): Intl.Segmenter {
  const primary = language.split("-", 1)[0]?.toLowerCase() ?? "";
  const locale = /^[a-z]{2,3}$/.test(primary) ? primary : OTHER_LOCALE;
  const known = wordSegmenters.get(locale);
  if (known !== undefined) return known;
  if (wordSegmenters.size >= LOCALES_MAX && locale !== OTHER_LOCALE) return wordSegmenter(OTHER_LOCALE);
  const made = new Intl.Segmenter(locale, { granularity: "word" });
  wordSegmenters.set(locale, made);
  return made;
}

/** What two ways of writing the same words have in common: letters, marks and digits, without case. */
export const lettersOf = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}]+/gu, "");

/**
 * What makes the word before it another one: "bob@example.com", "5:30", "twenty-five", "5%", "5 €". Intl.Segmenter ends a word
 * before most of these. "$" before a digit belongs to the next word.
 */
const WORD_EXTENSION =
  /^(?:[-\u2010\u2011:@/&.'’_＠／＆－]+[\p{L}\p{N}]|：\p{N}|[\p{S}%％٪‰#]|\s+(?:[%％٪‰°]|\p{Sc}(?!\p{N})))/u;

/**
 * What follows in `text` when its first words are those of `beginning`, whatever their case and punctuation: empty when nothing
 * does. Undefined when they are others, also where only a part of a word is the same ("for" and "forty", "5" and "5:30").
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
  const behind = text.slice(end);
  if (WORD_EXTENSION.test(behind) || isOneNumber(last, segments.containing(end)?.segment ?? "")) return undefined;
  // Punctuation that belongs to the last word goes with it.
  return behind.replace(/^[^\s\p{L}\p{N}]+/u, "").trim();
}

/** Letters of scripts that are written without blanks between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
/** Of those, the scripts that know no blank between sentences either, with their punctuation. */
const UNSPACED_SENTENCES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3001-\u303f\uff00-\uff65]/u;

/** Whether `text` has a letter of a script that is written without blanks between words. */
export const isUnspaced = (text: string): boolean => UNSPACED.test(text);

/**
 * Where the words of `text` end, in UTF-16 units, in rising order. A word is what stands between blanks; where a script has none,
 * it is what Intl.Segmenter takes for one in `language`, with the punctuation behind it.
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
    // Punctuation goes with the word before it, and at the beginning with the one behind it.
    if (lettersOf(segment) !== "") ends.push(end);
    else if (ends.length > 0) ends[ends.length - 1] = end;
  }
  return ends.length > 0 ? ends : [token.length];
}

/** The words of `text`, as `wordEnds` has them. */
export function wordsOf(text: string, language: string): string[] {
  let from = 0;
  return wordEnds(text, language).map((end) => {
    const word = text.slice(from, end).trim();
    from = end;
    return word;
  });
}

/** Two texts as one: with a blank between them, but not between letters of scripts that have none between sentences. */
export function joinTexts(before: string, behind: string): string {
  if (before === "") return behind;
  if (behind === "") return before;
  const isBlankless = UNSPACED_SENTENCES.test(before.slice(-1)) && UNSPACED_SENTENCES.test(behind.slice(0, 1));
  return isBlankless ? before + behind : `${before} ${behind}`;
}

const graphemes = new Intl.Segmenter(OTHER_LOCALE, { granularity: "grapheme" });

/** The last place in `text`, up to `at` UTF-16 units, that parts no character from its marks, and no surrogate from its other half. */
export function graphemeEnd(text: string, at: number): number {
  if (at <= 0) return 0;
  if (at >= text.length) return text.length;
  const start = graphemes.segment(text).containing(at)?.index ?? 0;
  if (start > 0) return start;
  // One character with thousands of marks occurs in no real text.
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

/** At most `charsMax` UTF-16 units of `text`, cut behind a whole character. */
export const cutText = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : text.slice(0, graphemeEnd(text, charsMax));

/**
 * How long a letter takes to be spoken, in Latin letters: so much more it says. Measured with eSpeak NG, which speaks 16 Latin
 * letters in a second, 15 Cyrillic, 3.7 Han, 5.1 Hangul, 7.5 Kana, 6.7 Ethiopic, 8.9 Arabic, 10.5 Thai and 11 Devanagari ones.
 */
const WEIGHTS: readonly (readonly [script: RegExp, weight: number])[] = [
  [/\p{Script=Han}/u, 4],
  [/\p{Script=Hangul}/u, 3],
  [/[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Ethiopic}]/u, 2],
  [/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Devanagari}]/u, 1.5],
];
/** Below this code point every letter weighs 1. */
const FIRST_WEIGHED = 0x590;

/** How long one character takes to be spoken, in Latin letters. */
export function speakingWeight(character: string): number {
  if ((character.codePointAt(0) ?? 0) < FIRST_WEIGHED) return 1;
  return WEIGHTS.find(([script]) => script.test(character))?.[1] ?? 1;
}

/** How long `text` takes to be spoken, in Latin letters. */
export function speakingLength(text: string): number {
  let length = 0;
  for (const character of text) length += speakingWeight(character);
  return length;
}
