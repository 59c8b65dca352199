import { isUnspaced } from "../core/text/words.ts";

/** Quotes and brackets that close a sentence or a clause. */
const CLOSING = /["'”’»）」』】》〉\])}]+$/u;

/** Marks that also occur within numbers, names and addresses: they end a sentence only before a space. */
const DOTS = ".!?…．﹒․";
/** Greek questions end with a semicolon. */
const GREEK_QUESTION = /\p{Script=Greek}[;\u037e]$/u;
/**
 * Marks that end questions, also before further ends ("?!", "?..."): Latin and Cyrillic, full width, Arabic, Ethiopic,
 * doubled, interrobang, reversed, small, vertical, Vai, Bamum. U+037E is the Greek one, which most texts write `;`.
 */
const QUESTION = /[?？؟፧⁇⁈⁉‽⸮﹖︖꘏꛷\u037e][?？؟!！.…]*$/u;
/** Armenian puts its mark on the stressed vowel of the question: only within the last sentence does it count. */
const ARMENIAN_QUESTION = /՞[^։]*։?$/u;
const CLAUSE_MARKS = ",;:";
/** Clause marks of other scripts. No space follows those with full width and the Japanese one. */
const WIDE_CLAUSE_MARKS = "，、；：";
const OTHER_CLAUSE_MARKS = "،؛፣፤၊";
/** Scripts that end sentences only with a space. */
const BLANK_ENDED = /[\p{Script=Thai}\p{Script=Lao}]$/u;

/** `text` without the quotes and brackets that close it. */
const withoutClosing = (text: string): string => text.replace(CLOSING, "");

/** A mark that always ends a sentence, in any script: 。 । ؟ ۔ ։ ። ။ and the like. */
const isPlainEnd = (mark: string): boolean => /\p{Sentence_Terminal}/u.test(mark) && !DOTS.includes(mark);

/** Whether `text`, everything said so far, ends with a complete sentence. */
export function endsSentence(text: string): boolean {
  const spoken = withoutClosing(text);
  return /\p{Sentence_Terminal}$/u.test(spoken) || GREEK_QUESTION.test(spoken);
}

/** Whether `text`, which ends with a complete sentence, ends with a question. */
export function endsQuestion(text: string): boolean {
  const spoken = withoutClosing(text);
  return QUESTION.test(spoken) || GREEK_QUESTION.test(spoken) || ARMENIAN_QUESTION.test(spoken);
}

/** Whether `text`, everything said so far, ends as if more were to come. */
export const trailsOff = (text: string): boolean =>
  !GREEK_QUESTION.test(text) && (/[,;:…\-–—，、；：،؛፣፤၊]$/u.test(text) || text.endsWith("..."));

/**
 * Whether a sentence ends between `before` and `after`, which is not empty. `isAbbreviation` says for the word before a
 * dot whether the dot belongs to it.
 */
export function isSentenceBreak(before: string, after: string, isAbbreviation: (word: string) => boolean): boolean {
  // Closing quotes and repeated end marks belong to the sentence.
  if (CLOSING.test(after.charAt(0)) || /^\p{Sentence_Terminal}/u.test(after)) return false;
  const spoken = withoutClosing(before);
  const mark = spoken.at(-1) ?? "";
  if (isPlainEnd(mark)) return true;
  const isBlank = after.startsWith(" ");
  if (isBlank && GREEK_QUESTION.test(spoken)) return true;
  if (isBlank && BLANK_ENDED.test(spoken)) return /^ \D/u.test(after);
  if (!DOTS.includes(mark) || mark === "" || !(isBlank || isUnspaced(after.charAt(0)))) return false;
  return mark !== "." || !isAbbreviation(spoken.slice(spoken.lastIndexOf(" ") + 1, -1));
}

/**
 * Whether a clause ends between `before` and `after`, which is not empty. The comma in "November 21, 2026" ends none.
 */
export function isClauseBreak(before: string, after: string): boolean {
  const mark = before.at(-1) ?? "";
  if (mark === "") return false;
  if (WIDE_CLAUSE_MARKS.includes(mark)) return !CLOSING.test(after.charAt(0));
  if (!after.startsWith(" ") || !(CLAUSE_MARKS + OTHER_CLAUSE_MARKS).includes(mark)) return false;
  return !/\d/.test(before.at(-2) ?? "") || /\D/.test(after.charAt(1));
}
