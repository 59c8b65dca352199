import type { TimedWord } from "../contracts.ts";

/** How many words without a timestamp may come before a word that matches again. */
const SKIPPED_WORDS_MAX = 8;

/**
 * Aligns the words of one text with a provider's timestamps. Words are separated by white space, so that the words
 * joined by spaces are the text again. Providers report words without punctuation, in parts, several as one, or as they
 * are read out (`$5` as `five dollars`), so words are compared by their letters and digits. Words without a timestamp
 * share the time between those around them.
 */
export class WordAlignment {
  readonly #words: readonly { text: string; letters: string }[];
  /** The first word that is not aligned yet, and how many of its letters have matched, from `#startMs` on. */
  #next = 0;
  #matchedLetters = 0;
  #startMs = 0;
  /** The end of the last timestamp that matched. */
  #endMs = 0;
  /** The word that was aligned last. */
  #last: TimedWord | undefined;
  #alignedWords: TimedWord[] = [];

  constructor(text: string) {
    this.#words = text
      .split(/\s+/)
      .filter((word) => word !== "")
      .map((word) => ({ text: word, letters: lettersOf(word) }));
  }

  /** The end of the speech by the timestamps; undefined if not all words are aligned. */
  get alignedMs(): number | undefined {
    return this.#next === this.#words.length ? this.#endMs : undefined;
  }

  /** Takes the provider's next timestamp, in ms from the first sample and in the order of the text. */
  addTimestamp(reported: string, startMs: number, endMs: number): void {
    const letters = lettersOf(reported);
    const found = letters === "" ? -1 : this.#find(letters);
    if (found < 0) return;
    if (found > this.#next) {
      this.#interpolate(found, startMs);
      this.#matchedLetters = 0;
    }
    this.#matchLetters(letters, startMs, Math.max(startMs, endMs));
  }

  /** Ends the speech at `endMs`: aligns all words that are left. */
  finish(endMs: number): void {
    if (this.#matchedLetters > 0) this.#endMs = Math.min(this.#endMs, this.#startMs);
    this.#interpolate(this.#words.length, endMs);
  }

  /** The words that have been aligned since the last call. */
  takeAligned(): TimedWord[] {
    const aligned = this.#alignedWords;
    this.#alignedWords = [];
    return aligned;
  }

  /** The word that matches `letters`: the rest of the next one, else one of the following words that equals them. */
  #find(letters: string): number {
    const next = this.#words.findIndex((word, index) => index >= this.#next && word.letters !== "");
    if (next < 0) return -1;
    const rest = (this.#words[next] as { letters: string }).letters.slice(
      next === this.#next ? this.#matchedLetters : 0,
    );
    if (rest.startsWith(letters) || letters.startsWith(rest)) return next;
    const later = this.#words
      .slice(next + 1, next + 1 + SKIPPED_WORDS_MAX)
      .findIndex((word) => word.letters === letters);
    return later < 0 ? -1 : next + 1 + later;
  }

  /** Matches `letters` with the words from the next one on. Each complete word gets its share of the time. */
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

  /** Aligns the words before `end`, which had no timestamps: they share the time up to `untilMs`. */
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

  /** Aligns the next word: it never begins before the previous one, and lasts at least 1 ms. */
  #alignNext(startMs: number, endMs: number): void {
    const { text } = this.#words[this.#next] as { text: string };
    const start = Math.max(startMs, this.#last?.startMs ?? 0);
    this.#last = { text, startMs: start, endMs: Math.max(endMs, this.#last?.endMs ?? 0, start + 1) };
    this.#alignedWords.push(this.#last);
    this.#next += 1;
    this.#matchedLetters = 0;
  }
}

/** The letters and digits of a word in a normal form, for comparing. */
const lettersOf = (word: string): string =>
  (
    word
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]/gu) ?? []
  ).join("");

/** Whether a text has letters or digits, so that there is something to speak. */
export const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
