import { hasSpaceBetweenWords } from "../../core/text/words.ts";
import type { TranscribedWord } from "../../core/transcriptions/result.ts";
import { CJK_LINE_CHARS_MAX, LINE_CHARS_MAX } from "./limits.ts";

/** A text that no line break divides: a word, or a part of one that is longer than a line. */
export interface Token {
  readonly text: string;
  readonly chars: number;
  readonly isCjk: boolean;
  readonly startMs: number;
  readonly endMs: number;
  /** What separates it from the token before it on the same line. */
  readonly separator: "" | " ";
}

const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/u;
const ASCII = /^[ -~]*$/;
/** One word of ASCII, as nearly all are in many languages: it needs nothing of what takes long with others. */
const PRINTED = /^[!-~]+$/;
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Whether `text` has a character of Chinese, Japanese or Korean writing. */
export const hasCjk = (text: string): boolean => !ASCII.test(text) && CJK.test(text);

/** How many characters are read: one with its marks counts once. */
export const charsIn = (text: string): number => (ASCII.test(text) ? text.length : [...graphemes.segment(text)].length);

/** How many characters a line with this text may have. */
export const lineCharsMax = (isCjk: boolean): number => (isCjk ? CJK_LINE_CHARS_MAX : LINE_CHARS_MAX);

/** The tokens of words, in their order. No token is longer than a line. */
export function tokensOf(words: readonly TranscribedWord[]): Token[] {
  const tokens: Token[] = [];
  for (const word of words) {
    if (word.text.length <= LINE_CHARS_MAX && PRINTED.test(word.text)) tokens.push(plainToken(word, tokens.length > 0));
    else addTokens(tokens, word);
  }
  return tokens;
}

const plainToken = ({ text, startMs, endMs }: TranscribedWord, isLater: boolean): Token => ({
  text,
  chars: text.length,
  isCjk: false,
  startMs: Math.round(startMs),
  endMs: Math.round(endMs),
  separator: isLater ? " " : "",
});

function addTokens(tokens: Token[], { text, startMs, endMs }: TranscribedWord): void {
  const parts = text.split(/[\p{Cc}\s]+/u).flatMap((word) => (word === "" ? [] : linesOf(word)));
  const all = parts.reduce((sum, { chars }) => sum + chars, 0);
  const timeOf = (count: number): number => Math.round(startMs + ((endMs - startMs) * count) / all);
  let before = 0;
  for (const { text: part, chars, isContinued } of parts) {
    const previous = tokens.at(-1)?.text;
    const isJoined = isContinued || previous === undefined || !hasSpaceBetweenWords(previous, part);
    const separator = isJoined ? "" : " ";
    const times = { startMs: timeOf(before), endMs: timeOf(before + chars) };
    tokens.push({ text: part, chars, isCjk: hasCjk(part), ...times, separator });
    before += chars;
  }
}

/** A word in parts that fit into a line. */
function linesOf(word: string): { text: string; chars: number; isContinued: boolean }[] {
  const chars = charsIn(word);
  const charsMax = lineCharsMax(hasCjk(word));
  if (chars <= charsMax) return [{ text: word, chars, isContinued: false }];
  const all = [...graphemes.segment(word)].map(({ segment }) => segment);
  const starts = Array.from({ length: Math.ceil(all.length / charsMax) }, (_, line) => line * charsMax);
  return starts.map((start) => {
    const part = all.slice(start, start + charsMax);
    return { text: part.join(""), chars: part.length, isContinued: start > 0 };
  });
}
