import type Libsql from "libsql";
import type { DocumentId } from "../../core/ids.ts";
import {
  CANDIDATES_MIN,
  QUESTION_TERMS_MAX,
  RANKED_CHUNKS_ENOUGH,
  RANKED_CHUNKS_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import { rankedCandidates } from "../ranking/candidates.ts";
import type { Ranked } from "../ranking/fusion.ts";
import { type PruningLimits, prunedTerms } from "../ranking/terms.ts";
import type { NewVector } from "./corpus-writer.ts";
import { metaOf, openForReading } from "./schema.ts";
import { wordsOf, wordsOfChunk } from "./words.ts";

/** A chunk as it is stored, by its number in the file. */
export interface StoredChunk {
  readonly documentId: DocumentId;
  readonly documentName: string;
  readonly ordinal: number;
  readonly headings: readonly string[];
  readonly page: number | undefined;
  readonly text: string;
}

/** A vector as it is stored, of a chunk and of its document by their numbers. */
export interface StoredVector extends NewVector {
  readonly document: number;
}

/** What of a chunk a vector is made of. */
export interface ChunkText {
  readonly number: number;
  readonly headings: readonly string[];
  readonly text: string;
}

/** What a file has of a document. */
export interface StoredDocument {
  readonly id: DocumentId;
  readonly version: number;
  readonly isComplete: boolean;
}

interface ChunkRow {
  id: DocumentId;
  name: string;
  ordinal: number;
  page: number | null;
  headings: string;
  text: string;
}

interface ChunkTextRow {
  number: number;
  headings: string;
  text: string;
}

// FTS5 sorts by rank itself, where its table is the first: CROSS keeps it there. Rows of documents that are being written or removed are skipped until the limit is reached.
const SEARCH = `
SELECT terms.rowid AS number, chunks.headings, chunks.text FROM terms
CROSS JOIN chunks ON chunks.number = terms.rowid
CROSS JOIN documents ON documents.number = chunks.document AND documents.is_complete = 1
WHERE terms MATCH ? ORDER BY terms.rank LIMIT ?`;

const CHUNK = `
SELECT documents.id, documents.name, chunks.ordinal, chunks.page, chunks.headings, chunks.text FROM chunks
JOIN documents ON documents.number = chunks.document AND documents.is_complete = 1
WHERE chunks.number = ?`;

const VECTORS = `
SELECT vectors.chunk, chunks.document, vectors.scale, vectors.vector FROM vectors
JOIN chunks ON chunks.number = vectors.chunk
WHERE vectors.chunk > ? ORDER BY vectors.chunk LIMIT ?`;

const WITHOUT_VECTORS = `
SELECT chunks.number, chunks.headings, chunks.text FROM chunks
JOIN documents ON documents.number = chunks.document AND documents.is_complete = 1
LEFT JOIN vectors ON vectors.chunk = chunks.number
WHERE vectors.chunk IS NULL AND chunks.number > ? ORDER BY chunks.number LIMIT ?`;

const PRUNING: Omit<PruningLimits, "chunks"> = {
  rankedMax: RANKED_CHUNKS_MAX,
  termsMax: QUESTION_TERMS_MAX,
  rankedEnough: RANKED_CHUNKS_ENOUGH,
};

/** The file of a corpus, open for questions. Its methods throw SQLite's errors where the file is damaged. */
export class CorpusReader {
  readonly #file: Libsql.Database;
  readonly #languageId: string;
  readonly #search: Libsql.Statement<unknown[]>;
  readonly #frequency: Libsql.Statement<unknown[]>;
  readonly #chunk: Libsql.Statement<unknown[]>;
  readonly #count: Libsql.Statement<unknown[]>;
  readonly #pruning: Omit<PruningLimits, "chunks">;
  #chunks: number | undefined;

  /** Throws where the file is missing, damaged or of another format. A benchmark measures what other limits of pruning cost. */
  constructor(path: string, pruning: Omit<PruningLimits, "chunks"> = PRUNING) {
    this.#pruning = pruning;
    this.#file = openForReading(path);
    this.#languageId = metaOf(this.#file, "language") ?? "";
    this.#search = this.#file.prepare(SEARCH);
    this.#frequency = this.#file.prepare("SELECT chunks FROM frequencies WHERE term = ?");
    this.#chunk = this.#file.prepare(CHUNK);
    this.#count = this.#file.prepare("SELECT count(*) AS count FROM chunks");
  }

  get languageId(): string {
    return this.#languageId;
  }

  /** The file's own id: one that is made again has another, and its chunks have the same numbers. */
  get fileId(): string {
    return metaOf(this.#file, "file") ?? "";
  }

  /** The model of the vectors; undefined where there are none yet. */
  get vectorModel(): string | undefined {
    return metaOf(this.#file, "model");
  }

  /** How many chunks there are. */
  get chunkCount(): number {
    this.#chunks ??= (this.#count.get() as { count: number }).count;
    return this.#chunks;
  }

  /** Something was written: counts are read again. */
  changed(): void {
    this.#chunks = undefined;
  }

  /**
   * The chunks that have most of a question's terms. FTS5 finds candidates by the rarer terms, and all terms rank these. The terms are those
   * of the corpus's language, and of the question's where it is another.
   */
  search(text: string, languageId: string, max: number): readonly Ranked<number>[] {
    const words = [...wordsOf(text, this.#languageId), ...wordsOf(text, languageId)];
    const terms = new Set(words.map(({ term }) => term));
    const frequencies = [...terms].map((term) => ({ term, chunks: this.#chunksWith(term) }));
    const kept = prunedTerms(frequencies, { ...this.#pruning, chunks: this.chunkCount });
    if (kept.length === 0) return [];
    // Terms have letters, marks and digits only: nothing in the quotes is an operator.
    const match = kept.map((term) => `"${term}"`).join(" OR ");
    const candidates = (this.#search.all(match, Math.max(max, CANDIDATES_MIN)) as ChunkTextRow[]).map((row) => ({
      key: row.number,
      words: wordsOfChunk(JSON.parse(row.headings) as string[], row.text, this.#languageId),
    }));
    return rankedCandidates({ words, frequencies, chunks: this.chunkCount }, candidates).slice(0, max);
  }

  #chunksWith(term: string): number {
    return (this.#frequency.get(term) as { chunks: number } | undefined)?.chunks ?? 0;
  }

  /** A chunk of a complete document; undefined for one that is being removed. */
  chunk(number: number): StoredChunk | undefined {
    const row = this.#chunk.get(number) as ChunkRow | undefined;
    if (row === undefined) return undefined;
    return {
      documentId: row.id,
      documentName: row.name,
      ordinal: row.ordinal,
      headings: JSON.parse(row.headings) as string[],
      page: row.page ?? undefined,
      text: row.text,
    };
  }

  /** The documents of the file, those that are not complete included. */
  documents(): readonly StoredDocument[] {
    const rows = this.#file.prepare("SELECT id, version, is_complete AS isComplete FROM documents").all();
    return (rows as { id: DocumentId; version: number; isComplete: number }[]).map((row) => ({
      id: row.id,
      version: row.version,
      isComplete: row.isComplete === 1,
    }));
  }

  /** Vectors of chunks after `afterChunk`, in their order. */
  vectors(afterChunk: number, limit: number): readonly StoredVector[] {
    const rows = this.#file.prepare(VECTORS).all(afterChunk, limit);
    return (rows as (Omit<StoredVector, "vector"> & { vector: ArrayBuffer })[]).map((row) => ({
      ...row,
      vector: new Uint8Array(row.vector),
    }));
  }

  /** The numbers of the documents that answers are from. */
  documentNumbers(): ReadonlySet<number> {
    const rows = this.#file.prepare("SELECT number FROM documents WHERE is_complete = 1").all() as { number: number }[];
    return new Set(rows.map(({ number }) => number));
  }

  /** Chunks after `afterChunk` that have no vector of a model, in their order. */
  withoutVectors(model: string, afterChunk: number, limit: number): readonly ChunkText[] {
    const query =
      this.vectorModel === model ? WITHOUT_VECTORS : WITHOUT_VECTORS.replace("vectors.chunk IS NULL AND", "");
    const rows = this.#file.prepare(query).all(afterChunk, limit);
    return (rows as ChunkTextRow[]).map(({ number, headings, text }) => ({
      number,
      headings: JSON.parse(headings) as string[],
      text,
    }));
  }

  close(): void {
    this.#file.close();
  }
}
