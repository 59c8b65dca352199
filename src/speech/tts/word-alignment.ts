import type { TimedWord } from "../contracts.ts";

/** How many words a voice may have passed over before one is found again. */
const SKIPPED_WORDS_MAX = 8;

/**
 * Places the words of one text by what a voice tells of what it said, and when. Words are what stands between white
 * space, so that joined by spaces they are the text again, while a voice tells them without their punctuation, in
 * parts, several as one, or as they are read out (`$5` as `five dollars`): they are compared by their letters and
 * digits. Words that were not told share the time between those around them.
 */
export class WordAlignment {
  readonly #words: readonly { text: string; letters: string }[];
  /** The first word that has no place yet, and how many of its letters were told, from `#startMs` on. */
  #next = 0;
  #matchedLetters = 0;
  #startMs = 0;
  /** The last thing that was told ended then. */
  #endMs = 0;
  /** The word that was placed last. */
  #last: TimedWord | undefined;
  #alignedWords: TimedWord[] = [];

  constructor(text: string) {
    this.#words = text
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => ({ text: word, letters: lettersOf(word) }));
  }

  /** Where the speech ends by what was told, undefined where not all of it was. */
  get alignedMs(): number | undefined {
    return this.#next === this.#words.length ? this.#endMs : undefined;
  }

  /** The voice said `said` then, in ms from the first sample; in the order of the text. */
  addTimestamp(said: string, startMs: number, endMs: number): void {
    const letters = lettersOf(said);
    const found = letters === "" ? -1 : this.#find(letters);
    if (found < 0) return;
    if (found > this.#next) {
      this.#interpolate(found, startMs);
      this.#matchedLetters = 0;
    }
    this.#matchLetters(letters, startMs, Math.max(startMs, endMs));
  }

  /** The speech is over, at `endMs`: what has no place yet gets one. */
  finish(endMs: number): void {
    if (this.#matchedLetters > 0) this.#endMs = Math.min(this.#endMs, this.#startMs);
    this.#interpolate(this.#words.length, endMs);
  }

  /** The words that have become known since the last time. */
  takeAligned(): TimedWord[] {
    const known = this.#alignedWords;
    this.#alignedWords = [];
    return known;
  }

  /**
   * The word in which `letters` stand: the next one, as far as it was not told, else one of those behind it that they
   * are all of.
   */
  #find(letters: string): number {
    const next = this.#words.findIndex((word, index) => index >= this.#next && word.letters !== "");
    if (next < 0) return -1;
    const rest = (this.#words[next] as { letters: string }).letters.slice(
      next === this.#next ? this.#matchedLetters : 0,
    );
    if (rest.startsWith(letters) || letters.startsWith(rest)) return next;
    const behind = this.#words
      .slice(next + 1, next + 1 + SKIPPED_WORDS_MAX)
      .findIndex((word) => word.letters === letters);
    return behind < 0 ? -1 : next + 1 + behind;
  }

  /** Gives `letters` to the words from the next one on. Each that is complete is placed, with its share of the time. */
  #matchLetters(letters: string, startMs: number, endMs: number): void {
    const perLetterMs = (endMs - startMs) / letters.length;
    let at = 0;
    for (;;) {
      const word = this.#words[this.#next];
      if (word === undefined) break;
      const rest = word.letters.slice(this.#matchedLetters);
      const taken = letters.slice(at);
      if (taken === "" || !(rest.startsWith(taken) || taken.startsWith(rest))) break;
      if (this.#matchedLetters === 0) this.#startMs = startMs + at * perLetterMs;
      if (taken.length < rest.length) {
        this.#matchedLetters += taken.length;
        break;
      }
      at += rest.length;
      this.#alignNext(this.#startMs, startMs + at * perLetterMs);
    }
    this.#endMs = Math.max(this.#endMs, endMs);
  }

  /** The words before `end` were passed over: they share the time up to `untilMs`. */
  #interpolate(end: number, untilMs: number): void {
    const letters = this.#words.slice(this.#next, end).reduce((sum, word) => sum + word.letters.length, 0);
    const perLetterMs = Math.max(0, untilMs - this.#endMs) / Math.max(1, letters);
    let atMs = this.#endMs;
    while (this.#next < end) {
      const wordMs = (this.#words[this.#next] as { letters: string }).letters.length * perLetterMs;
      this.#alignNext(atMs, atMs + wordMs);
      atMs += wordMs;
    }
  }

  /** Places the next word: never before the one in front of it, and never of no length. */
  #alignNext(startMs: number, endMs: number): void {
    const { text } = this.#words[this.#next] as { text: string };
    const start = Math.max(startMs, this.#last?.startMs ?? 0);
    this.#last = { text, startMs: start, endMs: Math.max(endMs, this.#last?.endMs ?? 0, start + 1) };
    this.#alignedWords.push(this.#last);
    this.#next += 1;
    this.#matchedLetters = 0;
  }
}

/** What two ways of writing a word have in common. */
const lettersOf = (word: string): string =>
  (
    word
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]/gu) ?? []
  ).join("");

/** A text without letters and digits has nothing in it to be spoken. */
export const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
