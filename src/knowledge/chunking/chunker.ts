import type { Chunk } from "../../core/knowledge/chunks.ts";
import { CHUNK_WORDS_MIN, HEADING_CHARS_MAX, HEADINGS_MAX } from "../../core/limits/knowledge/corpora.ts";
import type { Block } from "./blocks.ts";
import { wordsIn } from "./measure.ts";
import { fits, SentenceCutter } from "./sentences.ts";
import { cleanText } from "./text.ts";

/** A heading that holds for what follows. */
interface Heading {
  readonly level: number;
  readonly text: string;
  readonly page: number | undefined;
  /** Whether a chunk carries it, so that its words are not lost. */
  isCarried: boolean;
}

/**
 * Cuts the blocks of a document into chunks, as they come: a chunk has paragraphs under the same headings, some CHUNK_WORDS_MIN words or
 * more where there are so many, and at most CHUNK_WORDS_MAX. Longer paragraphs are cut between sentences. No word is lost.
 */
export class Chunker {
  readonly #cutter: SentenceCutter;
  #headings: Heading[] = [];
  #ordinal = 0;
  /** Of the chunk that is being filled. */
  #text = "";
  #words = 0;
  #page: number | undefined;

  /** `languageId` is a BCP 47 tag; it decides where sentences end. */
  constructor(languageId: string) {
    this.#cutter = new SentenceCutter(languageId);
  }

  /** Takes the next block, and yields the chunks that are complete. */
  *push(block: Block): Generator<Chunk> {
    const text = cleanText(block.text);
    if (text === "") return;
    if (block.kind === "heading" && text.length <= HEADING_CHARS_MAX) {
      yield* this.#flush();
      yield* this.#leave(block.level);
      this.#headings.push({ level: block.level, text: text.replaceAll("\n", " "), page: block.page, isCarried: false });
      return;
    }
    yield* this.#add(text, block.page);
  }

  /** Yields what is left at the end of the document. */
  *finish(): Generator<Chunk> {
    yield* this.#flush();
    yield* this.#leave(0);
  }

  *#add(text: string, page: number | undefined): Generator<Chunk> {
    const words = wordsIn(text);
    const isShort = fits(text.length, words);
    if (!this.#hasRoom(text.length, words) && isShort && this.#words >= CHUNK_WORDS_MIN / 2) yield* this.#flush();
    if (this.#hasRoom(text.length, words)) this.#append("\n\n", text, words, page);
    else yield* this.#addSentences(text, page);
    if (this.#words >= CHUNK_WORDS_MIN) yield* this.#flush();
  }

  *#addSentences(text: string, page: number | undefined): Generator<Chunk> {
    let separator = "\n\n";
    for (const sentence of this.#cutter.sentencesOf(text)) {
      const words = wordsIn(sentence);
      if (!this.#hasRoom(sentence.length, words)) yield* this.#flush();
      this.#append(separator, sentence, words, page);
      separator = "";
    }
  }

  #hasRoom(chars: number, words: number): boolean {
    return fits(this.#text.length + 2 + chars, this.#words + words);
  }

  #append(separator: string, text: string, words: number, page: number | undefined): void {
    this.#text = this.#text === "" ? text : this.#text + separator + text;
    this.#words += words;
    this.#page ??= page;
  }

  *#flush(): Generator<Chunk> {
    const text = this.#text.trim();
    if (text !== "") yield this.#chunk(text, this.#page, this.#headings);
    this.#text = "";
    this.#words = 0;
    this.#page = undefined;
  }

  /** Headings of this level and below hold no longer; one that no chunk carries becomes the text of one. */
  *#leave(level: number): Generator<Chunk> {
    for (;;) {
      const last = this.#headings.at(-1);
      if (last === undefined || last.level < level) return;
      this.#headings.pop();
      if (!last.isCarried) yield this.#chunk(last.text, last.page, this.#headings);
    }
  }

  #chunk(text: string, page: number | undefined, headings: readonly Heading[]): Chunk {
    const carried = headings.slice(-HEADINGS_MAX);
    for (const heading of carried) heading.isCarried = true;
    const ordinal = this.#ordinal;
    this.#ordinal += 1;
    return { ordinal, headings: carried.map((heading) => heading.text), page, text };
  }
}
