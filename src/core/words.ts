/** Locales whose segmenters are kept: what a call speaks is told by its peers, and must not fill the memory. */
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
 * What follows in `text` when its first words are those of `beginning`, whatever their case and punctuation: empty when nothing
 * does. Undefined when they are others, also where only a part of a word is the same ("for" and "forty").
 */
export function textBehind(beginning: string, text: string, language: string): string | undefined {
  const letters = lettersOf(beginning);
  let matched = 0;
  let end = 0;
  for (const { segment, index } of wordSegmenter(language).segment(text)) {
    if (matched === letters.length) break;
    const word = lettersOf(segment);
    if (word === "") continue;
    if (!letters.startsWith(word, matched)) return undefined;
    matched += word.length;
    end = index + segment.length;
  }
  if (matched < letters.length) return undefined;
  // Punctuation that belongs to the last word goes with it.
  return text
    .slice(end)
    .replace(/^[^\s\p{L}\p{N}]+/u, "")
    .trim();
}
