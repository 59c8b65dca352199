import { primaryLanguage } from "../../../core/text/language-tags.ts";
import { isUnspaced, wordsOf } from "../../../core/text/words.ts";
import { endsQuestion, endsSentence, trailsOff } from "../../sentence-boundaries.ts";
import { WORD_LISTS, type WordLists } from "./word-lists.ts";

/** What the words and marks of a text say about whether more will follow. It needs neither punctuation nor capitals. */
export interface TextForm {
  /** Counted up to WORDS_MAX. */
  readonly words: number;
  /** How the text ends, where the STT writes marks. */
  readonly mark: "question" | "sentence" | "clause" | "none";
  /** Its words begin as a question does. */
  readonly isQuestion: boolean;
  /** It ends with a word after which more must follow: "and", "the", "my number is". */
  readonly isTrailing: boolean;
  /** It ends with a sound of somebody who looks for words. */
  readonly isHesitation: boolean;
  /** All of it is a complete answer: "yes", "no, thanks". */
  readonly isAnswer: boolean;
  /** It begins with such an answer. */
  readonly beginsWithAnswer: boolean;
  /** How many digits, written or spoken, are at its end. */
  readonly digits: number;
  /** It speaks of a number, a code or a date, or has nothing but digits: "my number is 0", and not "a table for two". */
  readonly isDictation: boolean;
  /** How many single letters, written or by their names, are at its end. */
  readonly letters: number;
}

type Lists = Record<keyof WordLists, ReadonlySet<string>>;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(" ").filter((word) => word !== ""));
const NAMES = Object.keys(WORD_LISTS.en ?? {}) as (keyof WordLists)[];
const madeOf = (words: (name: keyof WordLists) => string): Lists =>
  Object.fromEntries(NAMES.map((name) => [name, setOf(words(name))])) as Lists;
const LISTS = new Map(Object.entries(WORD_LISTS).map(([language, lists]) => [language, madeOf((name) => lists[name])]));
/** A language without lists is judged by its marks, digits and single letters. */
const NO_LISTS = madeOf(() => "");

export const listsOf = (language: string): Lists => LISTS.get(primaryLanguage(language)) ?? NO_LISTS;

/** How much of a text's beginning and end is examined: this runs often while the caller pauses. */
const END_CHARS = 160;
export const WORDS_MAX = 40;
const ANSWER_WORDS_MAX = 4;
/** "what time" is no complete question. */
const QUESTION_WORDS_MIN = 3;

/** The form of `text`, everything that was understood of a turn, in `language`, BCP 47. */
export function textFormOf(text: string, language: string): TextForm {
  const trimmed = text.trim();
  const end = trimmed.slice(-END_CHARS);
  const lists = listsOf(language);
  const words = plainWords(end, language);
  // The words of the last sentence, where the STT marks the ones before it.
  const sentence = plainWords(lastSentence(end), language);
  const last = words.at(-1) ?? "";
  const isAnswer =
    words.length > 0 && words.length <= ANSWER_WORDS_MAX && words.every((word) => lists.answers.has(word));
  const letters = runLength(words, (word) => (isLetter(word, lists) ? 1 : 0));
  const isTrailing = lists.trailing.has(last) || lists.trailing.has(last.slice(last.search(/[^'’]*$/)));
  return {
    words: Math.min(WORDS_MAX, trimmed.length > END_CHARS ? WORDS_MAX : words.length),
    mark: markOf(trimmed),
    isQuestion:
      sentence.length >= QUESTION_WORDS_MIN &&
      (isQuestionWord(sentence[0] as string, lists) || (isUnspaced(end) && isQuestionWord(last, lists))),
    isTrailing: !isAnswer && letters < 2 && isTrailing,
    isHesitation: !isAnswer && lists.hesitations.has(last),
    isAnswer,
    beginsWithAnswer: words.length > 0 && lists.answers.has(words[0] as string),
    digits: runLength(words, (word) => digitsOf(word, lists)),
    isDictation: words.every((word) => digitsOf(word, lists) > 0) || words.some((word) => lists.asksNumber.has(word)),
    letters,
  };
}

const isQuestionWord = (word: string, { openings, questions }: Lists): boolean =>
  openings.has(word) || questions.has(word);

/** The words of a text without case and marks; of a script without spaces those of Intl.Segmenter. */
export function plainWords(text: string, language: string): string[] {
  const tokens = isUnspaced(text) ? wordsOf(text, language) : text.split(/\s+/);
  const words: string[] = [];
  for (const token of tokens) {
    const word = token.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}'’]+$/gu, "");
    if (word !== "") words.push(word);
  }
  return words;
}

const lastSentence = (text: string): string =>
  text.slice(
    text
      .replace(/[\p{Sentence_Terminal}\s]+$/u, "")
      .search(/(?<=[\p{Sentence_Terminal}]\s)[^\p{Sentence_Terminal}]*$|^[^\p{Sentence_Terminal}]*$/u),
  );

function markOf(text: string): TextForm["mark"] {
  if (trailsOff(text)) return "clause";
  if (!endsSentence(text)) return "none";
  return endsQuestion(text) ? "question" : "sentence";
}

/** How many digits a word stands for: "0172" has four, "seven" one; 0 for other words. */
function digitsOf(word: string, lists: Lists): number {
  if (/^[\p{Nd}.,:/-]+$/u.test(word)) return word.replaceAll(/\P{Nd}/gu, "").length;
  return lists.numbers.has(word) ? 1 : 0;
}

const isLetter = (word: string, lists: Lists): boolean => /^\p{L}\p{M}*$/u.test(word) || lists.letters.has(word);

function runLength(words: readonly string[], count: (word: string) => number): number {
  let sum = 0;
  for (let at = words.length - 1; at >= 0; at -= 1) {
    const own = count(words[at] as string);
    if (own === 0) break;
    sum += own;
  }
  return sum;
}
