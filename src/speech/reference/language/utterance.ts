import { isInformative, stem, type Token, tokensOf, wordsOfName } from "./words.ts";

/** Words from `from` up to, and without, `to`. */
export interface Span {
  from: number;
  to: number;
}

/** A name ends before one of these words. */
const NAME_END_WORDS = new Set(
  (
    "for to from in at on with by about into near and or but so if because please thanks thank is are was were will can " +
    "could would should do does did i i'd i'm we you he she they it that this what when where who how which then today " +
    "tomorrow tonight yesterday now next morning afternoon evening night monday tuesday wednesday thursday friday " +
    "saturday sunday go get know have be see fly travel make find check speak talk tell hear change cancel book reserve " +
    "order buy ask look need want like saying"
  ).split(" "),
);
const ARTICLES = new Set(["the", "a", "an", "my", "our", "your"]);
const NAME_WORDS_MAX = 6;

/** Scripts without spaces between words: a token may contain a name and other words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

/** What a caller said, word by word. A word that is used for one value is not used for another. */
export class Utterance {
  readonly text: string;
  readonly tokens: readonly Token[];
  /** The stems of all words, and of those that may name what the caller wants. */
  readonly stems: ReadonlySet<string>;
  readonly informativeStems: ReadonlySet<string>;
  readonly #used: boolean[];

  constructor(text: string) {
    this.text = text;
    this.tokens = tokensOf(text);
    this.stems = new Set(this.tokens.map((token) => token.stem));
    this.informativeStems = new Set(this.tokens.filter(isInformative).map((token) => token.stem));
    this.#used = this.tokens.map(() => false);
  }

  isFree(at: number): boolean {
    return this.#used[at] === false;
  }

  use({ from, to }: Span): void {
    this.#used.fill(true, from, to);
  }

  /** The caller's own spelling of some words. */
  textOf({ from, to }: Span): string {
    return this.text.slice(this.tokens[from]?.start ?? 0, this.tokens[to - 1]?.end ?? 0);
  }

  /** Whether the word at `at` and the next one belong to one phrase: no punctuation separates them. */
  joins(at: number): boolean {
    const token = this.tokens[at];
    const next = this.tokens[at + 1];
    return token !== undefined && next !== undefined && !/[^\s"'“”]/u.test(this.text.slice(token.end, next.start));
  }

  /** Where unused words name a phrase such as an enum's value, with any endings; undefined if nowhere. */
  find(phrase: string): Span | undefined {
    const stems = wordsOfName(phrase).map(stem);
    if (stems.length === 0) return undefined;
    // Most phrases have a word that was not said, so the words need not be read for them.
    const wasSaid = stems.every((word) => this.stems.has(word));
    for (let from = 0; wasSaid && from + stems.length <= this.tokens.length; from += 1) {
      const fits = stems.every((word, index) => this.isFree(from + index) && this.tokens[from + index]?.stem === word);
      if (fits) return { from, to: from + stems.length };
    }
    if (!UNSPACED.test(phrase)) return undefined;
    const within = this.tokens.findIndex(({ lower }, at) => this.isFree(at) && lower.includes(phrase.toLowerCase()));
    // An empty span: the token may contain other phrases, too, so it is not marked as used.
    return within < 0 ? undefined : { from: within, to: within };
  }

  /** The name that begins at `at`, without articles, up to a word or mark that ends it; undefined if there is none. */
  nameAt(at: number): Span | undefined {
    let from = at;
    while (ARTICLES.has(this.tokens[from]?.lower ?? "") && this.joins(from)) from += 1;
    let to = from;
    while (to < this.tokens.length && to - from < NAME_WORDS_MAX && this.isFree(to)) {
      if (NAME_END_WORDS.has(this.tokens[to]?.lower ?? "")) break;
      to += 1;
      if (!this.joins(to - 1)) break;
    }
    return to > from ? { from, to } : undefined;
  }

  /** The names that begin at `at`, separated by commas or "and"; undefined if there is none. */
  namesAt(at: number): Span | undefined {
    let span = this.nameAt(at);
    for (let next = span; next !== undefined && span !== undefined; span = next && { from: span.from, to: next.to }) {
      const and = this.tokens[span.to]?.lower === "and" ? 1 : 0;
      const comma = /^\s*,\s*$/.test(this.text.slice(this.tokens[span.to - 1]?.end, this.tokens[span.to]?.start));
      next = and === 1 || comma ? this.nameAt(span.to + and) : undefined;
      if (next === undefined) return span;
    }
    return span;
  }

  /** The first text in quotation marks whose words are unused. */
  quoted(): { value: string; span: Span } | undefined {
    for (const match of this.text.matchAll(/["“«„]([^"“”«»„]{1,256})["”»“]/gu)) {
      const end = match.index + match[0].length;
      const from = this.tokens.findIndex(({ start }) => start >= match.index);
      const to = this.tokens.findLastIndex((token) => token.end <= end) + 1;
      const value = (match[1] ?? "").trim();
      if (from >= 0 && to > from && this.isFree(from) && value !== "") return { value, span: { from, to } };
    }
    return undefined;
  }
}
