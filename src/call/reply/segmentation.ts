import { graphemeEnd, speakingLength, speakingWeight, wordEnds } from "../../core/text/words.ts";
import { isClauseBreak, isSentenceBreak } from "../sentence-boundaries.ts";

/** A segment that takes less time than so many Latin letters is not worth a synthesis of its own: it would sound chopped. */
const SEGMENT_LETTERS_MIN = 24;
/** A sentence longer than this is cut at a clause, or else between words, so that the caller does not wait for its end. */
const SEGMENT_LETTERS_MAX = 220;

/** A dot behind one of these ends no sentence, as a rule. What ends one as often ("etc.", "usw.") is not among them. */
const ABBREVIATIONS = new Set(
  `dr mr mrs ms prof st sr sra dra hr fr nr tel str vs approx dept est ext ex ej bzw ca evtl ggf inkl zzgl art
  jan feb apr aug sept okt oct nov dez dec`.split(/\s+/),
);

/**
 * Cuts a reply's text, as it comes from the model, into pieces that can be spoken: sentences, or clauses of long ones. The first
 * piece is over with its first clause, for the caller waits for it: that of the reply, and of what the model says behind its tools.
 * Whitespace is folded, so that the pieces joined by `joinTexts` are the reply's text. Lengths are in Latin letters: those of other
 * scripts count for as many as take the same time to be spoken.
 */
export class SegmentSplitter {
  readonly #firstClauseLetters: number;
  readonly #language: string;
  #rest = "";
  #isFirst = true;

  /** `firstClauseLetters`: so long a clause at least is a first piece. `language`, BCP 47, tells where its words end. */
  constructor(firstClauseLetters: number, language: string) {
    this.#firstClauseLetters = firstClauseLetters;
    this.#language = language;
  }

  /** Takes more text; returns the pieces that are complete now, in order. */
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

  /** The reply is over: what is left, if anything. */
  end(): string[] {
    const segments: string[] = [];
    pushSpeakable(segments, this.#rest);
    this.#rest = "";
    this.#isFirst = true;
    return segments;
  }

  /** Where the first piece of what is left ends, or 0 when it is not complete yet. */
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
      const [before, after] = [text.slice(Math.max(0, at - TAIL_CHARS), at), text.slice(at, at + 2)];
      if (isSentenceBreak(before, after, isAbbreviation)) return at;
      if (!isClauseBreak(before, after)) continue;
      if (letters >= clauseLettersMin) return at;
      lastClause = at;
    }
    return 0;
  }

  /**
   * Where to cut a text that has no clause up to `at`: before a blank, unless that leaves too little; else between words, else between
   * characters.
   */
  #wordBoundary(at: number): number {
    const text = this.#rest;
    const blank = text.lastIndexOf(" ", at);
    if (blank > 0 && speakingLength(text.slice(0, blank)) >= SEGMENT_LETTERS_MIN) return blank;
    // What lies behind tells where the last word in front ends.
    const ends = wordEnds(text.slice(0, at + WORD_CHARS), this.#language);
    return ends.findLast((end) => end <= at) ?? graphemeEnd(text, at);
  }
}

/** The end of a text that is searched for the end of a sentence or a clause. */
const TAIL_CHARS = 64;
/** Words that are longer are cut. */
const WORD_CHARS = 24;

/** Pieces without a letter or a digit cannot be spoken and are left out. */
function pushSpeakable(segments: string[], text: string): void {
  const segment = text.trim();
  if (/[\p{L}\p{N}]/u.test(segment)) segments.push(segment);
}

/** Whether the dot behind `word` belongs to it. */
function isAbbreviation(word: string): boolean {
  const plain = word.replace(/^[^\p{L}\p{N}]+/u, "");
  return /^(?:\d{1,2}|(?:\p{L}\.)*\p{L})$/u.test(plain) || ABBREVIATIONS.has(plain.toLowerCase());
}
