import type { Block } from "../../chunking/blocks.ts";

/** What a parser has found out besides the text. */
export interface ParsedFacts {
  /** How many pages there are, once it is known; only of formats that have pages. */
  pages?: number;
}

/** The blocks of a document, in its order. Throws `documentError` where it cannot be read. */
export type Blocks = AsyncIterable<Block> | Iterable<Block>;
