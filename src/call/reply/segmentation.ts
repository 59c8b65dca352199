import { graphemeEnd } from "../../core/text/graphemes.ts";
import { speakingLength, speakingWeight } from "../../core/text/speaking-length.ts";
import { wordEnds } from "../../core/text/words.ts";
import { isClauseBreak, isSentenceBreak } from "../sentence-boundaries.ts";

/** Minimum length of a segment, in Latin letters. Shorter ones would sound choppy. */
const SEGMENT_LETTERS_MIN = 24;
/**
 * Maximum length. A longer sentence is split after a clause, or else between words, so that the caller does not wait
 * for its end.
 */
const SEGMENT_LETTERS_MAX = 220;

/**
 * A dot after one of these usually ends no sentence. Abbreviations that often end one ("etc.", "usw.") are not listed.
 */
const ABBREVIATIONS = new Set(
  `dr mr mrs ms prof st sr sra dra hr fr nr tel str vs approx dept est ext ex ej bzw ca evtl ggf inkl zzgl art
  jan feb apr aug sept okt oct nov dez dec`.split(/\s+/),
);

/**
 * Splits the LLM's text, as it streams in, into segments for the TTS: sentences, or clauses of long ones. The first
 * segment ends with its first clause, because the caller is waiting for it; the same applies to the first one after
 * tool calls. Whitespace is folded, so that `joinTexts` of the segments gives the reply's text. Lengths are in Latin
 * letters; letters of other scripts count by the time that they take to speak.
 */
export class SegmentSplitter {
  readonly #firstClauseLetters: number;
  readonly #language: string;
  #rest = "";
  #isFirst = true;

  /**
   * `firstClauseLetters`: minimum length of a clause as the first segment. `language`, BCP 47, determines where words
   * end.
   */
  constructor(firstClauseLetters: number, language: string) {
    this.#firstClauseLetters = firstClauseLetters;
    this.#language = language;
  }

  /** Adds text; returns the segments that are complete now, in order. */
  push(text: string): string[] {
    this.#rest = (this.#rest + text).replace(/\s+/g, " ");
    const segments: string[] = [];
    for (let at = this.#segmentEnd(); at > 0; at = this.#segmentEnd()) {
      pushSpeakable(segments, this.#rest.slice(0, at));
      this.#rest = this.#rest.slice(at);
      this.#isFirst = false;
    }
    return segments;
  }

  /** The reply's text is complete: returns what remains. */
  end(): string[] {
    const segments: string[] = [];
    pushSpeakable(segments, this.#rest);
    this.#rest = "";
    this.#isFirst = true;
    return segments;
  }

  /** The end of the first segment of the remaining text, or 0 while it is not complete. */
  #segmentEnd(): number {
    const text = this.#rest;
    const clauseLettersMin = this.#isFirst ? this.#firstClauseLetters : Number.POSITIVE_INFINITY;
    let letters = 0;
    let lastClause = 0;
    for (let at = 0; at < text.length; ) {
      const character = String.fromCodePoint(text.codePointAt(at) as number);
      const weight = speakingWeight(character);
      if (letters + weight > SEGMENT_LETTERS_MAX) return lastClause || this.#wordBoundary(at);
      letters += weight;
      at += character.length;
      if (letters < SEGMENT_LETTERS_MIN || at === text.length) continue;
      const before = text.slice(Math.max(0, at - TAIL_CHARS), at);
      const after = text.slice(at, at + 2);
      if (isSentenceBreak(before, after, isAbbreviation)) return at;
      if (!isClauseBreak(before, after)) continue;
      if (letters >= clauseLettersMin) return at;
      lastClause = at;
    }
    return 0;
  }

  /**
   * Where to split a text that has no clause up to `at`: before a space, unless that leaves too little; else between
   * words, else between characters.
   */
  #wordBoundary(at: number): number {
    const text = this.#rest;
    const blank = text.lastIndexOf(" ", at);
    if (blank > 0 && speakingLength(text.slice(0, blank)) >= SEGMENT_LETTERS_MIN) return blank;
    // The text after `at` shows where the last word before it ends.
    const ends = wordEnds(text.slice(0, at + WORD_CHARS), this.#language);
    return ends.findLast((end) => end <= at) ?? graphemeEnd(text, at);
  }
}

/** How much of the text before a position is searched for the end of a sentence or a clause. */
const TAIL_CHARS = 64;
/** Longer words are split. */
const WORD_CHARS = 24;

/** Segments without a letter or a digit cannot be spoken and are dropped. */
function pushSpeakable(segments: string[], text: string): void {
  const segment = text.trim();
  if (/[\p{L}\p{N}]/u.test(segment)) segments.push(segment);
}

/** Whether the dot after `word` belongs to it. */
function isAbbreviation(word: string): boolean {
  const plain = word.replace(/^[^\p{L}\p{N}]+/u, "");
  return /^(?:\d{1,2}|(?:\p{L}\.)*\p{L})$/u.test(plain) || ABBREVIATIONS.has(plain.toLowerCase());
}
