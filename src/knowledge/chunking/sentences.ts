import { CHUNK_CHARS_MAX, CHUNK_WORDS_MAX } from "../../core/limits/knowledge/corpora.ts";
import { wordsIn } from "./measure.ts";

/** Cuts texts into parts that a chunk can hold, at the ends of sentences where it can. */
export class SentenceCutter {
  readonly #sentences: Intl.Segmenter;
  readonly #words: Intl.Segmenter;

  /** `languageId` is a BCP 47 tag. */
  constructor(languageId: string) {
    this.#sentences = new Intl.Segmenter(languageId, { granularity: "sentence" });
    this.#words = new Intl.Segmenter(languageId, { granularity: "word" });
  }

  /** The text in parts of at most CHUNK_WORDS_MAX words and CHUNK_CHARS_MAX code units, none lost; joined they are the text. */
  *sentencesOf(text: string): Generator<string> {
    // The segmenter reads a whole text at once, and takes long over one of megabytes.
    for (const stretch of cutEvery(text, STRETCH_CHARS)) {
      for (const { segment } of this.#sentences.segment(stretch)) {
        if (isPart(segment.length, wordsIn(segment))) yield segment;
        else yield* this.#wordsOf(segment);
      }
    }
  }

  *#wordsOf(sentence: string): Generator<string> {
    let part = "";
    let words = 0;
    for (const { segment } of this.#words.segment(sentence)) {
      for (const stretch of cutEvery(segment, PART_CHARS_MAX)) {
        const more = wordsIn(stretch);
        if (!isPart(part.length + stretch.length, words + more)) {
          if (part !== "") yield part;
          part = "";
          words = 0;
        }
        part += stretch;
        words += more;
      }
    }
    if (part !== "") yield part;
  }
}

/** Whether a chunk can hold so many UTF-16 code units and words. */
export const fits = (chars: number, words: number): boolean => chars <= CHUNK_CHARS_MAX && words <= CHUNK_WORDS_MAX;

/** A part and the blank line before it fit into a chunk. */
const PART_CHARS_MAX = CHUNK_CHARS_MAX - 2;
const isPart = (chars: number, words: number): boolean => fits(chars + 2, words);

const STRETCH_CHARS = 20_000;

/** Cuts a text, but never between the two halves of one character; at a blank near the end where there is one. */
function* cutEvery(text: string, charsMax: number): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + charsMax, text.length);
    if (end < text.length) {
      const blank = text.lastIndexOf(" ", end);
      if (blank > end - charsMax / 4 && blank > start) end = blank;
      else if (isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    }
    yield text.slice(start, end);
    start = end;
  }
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;
