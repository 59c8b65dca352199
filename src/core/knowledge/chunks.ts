import type { DocumentId } from "../ids.ts";

/** A part of a document that is found and given to the LLM as a whole. */
export interface Chunk {
  /** Its place in the document, from 0. */
  readonly ordinal: number;
  /** The headings above it, outermost first. */
  readonly headings: readonly string[];
  /** From 1, where the document has pages. */
  readonly page: number | undefined;
  readonly text: string;
}

/** A document whose chunks are ready to be indexed. */
export interface IndexableDocument {
  readonly id: DocumentId;
  readonly name: string;
  /** Grows with each processing: chunks of one version never change. */
  readonly version: number;
}
