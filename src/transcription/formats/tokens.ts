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
/** One word of ASCII, as nearly all are in many languages: what else is asked of a text takes much longer. */
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
  for (const { text, startMs, endMs } of words) {
    const split = PRINTED.test(text) ? [text] : text.split(/[\p{Cc}\s]+/u).filter((word) => word !== "");
    const parts = split.flatMap(linesOf);
    const all = parts.reduce((sum, { chars }) => sum + chars, 0);
    let before = 0;
    for (const { text: part, chars, isContinued } of parts) {
      const timeOf = (count: number): number => Math.round(startMs + ((endMs - startMs) * count) / all);
      const previous = tokens.at(-1)?.text;
      const isJoined = isContinued || previous === undefined || !hasSpaceBetweenWords(previous, part);
      const separator = isJoined ? "" : " ";
      const [partStartMs, partEndMs] = [timeOf(before), timeOf(before + chars)];
      tokens.push({ text: part, chars, isCjk: hasCjk(part), startMs: partStartMs, endMs: partEndMs, separator });
      before += chars;
    }
  }
  return tokens;
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
