import { CUE_MS_MAX, CUE_MS_MIN } from "./limits.ts";
import { charsIn, lineCharsMax, type Token } from "./tokens.ts";

/** The words of one cue in its lines, ms when they are spoken. */
export interface CueText {
  readonly lines: readonly string[];
  readonly startMs: number;
  readonly endMs: number;
}

export interface LayoutOptions {
  /** What stands before the words of each cue, such as `Speaker 1:`; empty for nothing. */
  readonly label: string;
  /** Whether a line must not end with this word. */
  readonly isHanging: (word: string) => boolean;
}

const SENTENCE_END = /[.!?…。！？।؟]["'”’»)\]」』]*$/u;
const CLAUSE_END = /[,;:،、，；：–—]["'”’»)\]」』]*$/u;

/** What a cue costs. The division with the least cost is taken. */
const CUE_COST = 10;
/** It ends within a sentence: at a comma, or anywhere. */
const CLAUSE_COST = 4;
const ANYWHERE_COST = 10;
/** A sentence ends in it, and it goes on. More than another cue costs. */
const INNER_END_COST = 12;
/** Its words are shorter than a cue may be. More than a sentence that ends in it. */
const SHORT_COST = 15;
/** A line ends with an article. More than all others together. */
const HANGING_COST = 10_000;
/** Of the second line break of a cue: a comma is worth that much difference between the lines, in characters. */
const BREAK_AT_PUNCTUATION = 20;

/** Divides the words of an utterance into cues, at ends of sentences where possible, and the cues into lines. */
export function cueTexts(tokens: readonly Token[], options: LayoutOptions): CueText[] {
  const layout = new Layout(tokens, options);
  const costs = [0];
  /** By where a cue ends: where it begins. */
  const starts = [0];
  for (let end = 1; end <= tokens.length; end += 1) {
    let [best, bestStart] = [Number.POSITIVE_INFINITY, end - 1];
    for (let start = end - 1; start >= 0; start -= 1) {
      const cost = layout.cueCost(start, end);
      // A longer one fits no better.
      if (cost === undefined) break;
      if ((costs[start] as number) + cost >= best) continue;
      best = (costs[start] as number) + cost;
      bestStart = start;
    }
    costs.push(best);
    starts.push(bestStart);
  }
  const cues: CueText[] = [];
  for (let end = tokens.length; end > 0; end = starts[end] as number) cues.push(layout.cue(starts[end] as number, end));
  return cues.toReversed();
}

/** The layout of stretches of some tokens, `start` up to and without `end`. */
class Layout {
  readonly #tokens: readonly Token[];
  readonly #options: LayoutOptions;
  readonly #labelChars: number;
  /** Of the tokens before each one: their characters with separators, how many are CJK, how many end a sentence. */
  readonly #chars = [0];
  readonly #cjk = [0];
  readonly #ends = [0];
  readonly #isHanging: readonly boolean[];
  readonly #endsClause: readonly boolean[];

  constructor(tokens: readonly Token[], options: LayoutOptions) {
    this.#tokens = tokens;
    this.#options = options;
    this.#labelChars = charsIn(options.label);
    this.#isHanging = tokens.map(({ text }) => options.isHanging(text));
    this.#endsClause = tokens.map(({ text }) => CLAUSE_END.test(text));
    for (const { text, chars, separator, isCjk } of tokens) {
      this.#ends.push((this.#ends.at(-1) as number) + Number(SENTENCE_END.test(text)));
      this.#chars.push((this.#chars.at(-1) as number) + separator.length + chars);
      this.#cjk.push((this.#cjk.at(-1) as number) + Number(isCjk));
    }
  }

  /** What a cue of these tokens costs; undefined where they are too many, or take too long. */
  cueCost(start: number, end: number): number | undefined {
    const [first, last] = [this.#tokens[start] as Token, this.#tokens[end - 1] as Token];
    const spokenMs = last.endMs - first.startMs;
    if (spokenMs > CUE_MS_MAX && end - start > 1) return undefined;
    const lineBreak = this.#lineBreak(start, end);
    if (lineBreak === undefined) return undefined;
    const innerEnds = (this.#ends[end - 1] as number) - (this.#ends[start] as number);
    const cost = CUE_COST + this.#endCost(end) + innerEnds * INNER_END_COST;
    return cost + (spokenMs < CUE_MS_MIN ? SHORT_COST : 0) + (lineBreak.isHanging ? HANGING_COST : 0);
  }

  cue(start: number, end: number): CueText {
    const { at = end } = this.#lineBreak(start, end) ?? {};
    const first = this.#text(start, at, this.#options.label);
    const lines = at === end ? [first] : [first, this.#text(at, end, "")];
    return {
      lines,
      startMs: (this.#tokens[start] as Token).startMs,
      endMs: (this.#tokens[end - 1] as Token).endMs,
    };
  }

  #endCost(end: number): number {
    if (end === this.#tokens.length) return 0;
    if (this.#isHanging[end - 1] === true) return HANGING_COST;
    if (this.#endsSentence(end)) return 0;
    return this.#endsClause[end - 1] === true ? CLAUSE_COST : ANYWHERE_COST;
  }

  /** Whether the token before `end` does. */
  #endsSentence(end: number): boolean {
    return (this.#ends[end] as number) > (this.#ends[end - 1] as number);
  }

  /** Where the second line begins: at `end` where there is none; undefined where two lines are too short. */
  #lineBreak(start: number, end: number): { at: number; isHanging: boolean } | undefined {
    if (this.#fits(start, end, this.#labelChars)) return { at: end, isHanging: false };
    let best: { at: number; isHanging: boolean; cost: number } | undefined;
    // A label may have a line for itself.
    for (let at = this.#labelChars > 0 ? start : start + 1; at < end; at += 1) {
      if (!this.#fits(start, at, this.#labelChars)) break;
      if (!this.#fits(at, end, 0)) continue;
      const isHanging = at > start && this.#isHanging[at - 1] === true;
      const difference = Math.abs(this.#charsOf(start, at, this.#labelChars) - this.#charsOf(at, end, 0));
      const isPunctuated = at > start && (this.#endsSentence(at) || this.#endsClause[at - 1] === true);
      const cost = difference - (isPunctuated ? BREAK_AT_PUNCTUATION : 0) + (isHanging ? HANGING_COST : 0);
      if (best === undefined || cost < best.cost) best = { at, isHanging, cost };
    }
    return best;
  }

  #fits(start: number, end: number, labelChars: number): boolean {
    const isCjk = (this.#cjk[end] as number) > (this.#cjk[start] as number);
    return this.#charsOf(start, end, labelChars) <= lineCharsMax(isCjk);
  }

  #charsOf(start: number, end: number, labelChars: number): number {
    if (start === end) return labelChars;
    const first = this.#tokens[start] as Token;
    const chars = (this.#chars[end] as number) - (this.#chars[start] as number) - first.separator.length;
    return chars + (labelChars === 0 ? 0 : labelChars + 1);
  }

  #text(start: number, end: number, label: string): string {
    const words = this.#tokens.slice(start, end).map(({ text, separator }, at) => (at === 0 ? text : separator + text));
    return [label, words.join("")].filter((text) => text !== "").join(" ");
  }
}
