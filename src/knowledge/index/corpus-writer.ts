import type Libsql from "libsql";
import { unavailable } from "../../core/errors.ts";
import type { DocumentId } from "../../core/ids.ts";
import type { Chunk, IndexableDocument } from "../../core/knowledge/chunks.ts";
import { INDEX_REMOVE_CHUNKS } from "../../core/limits/knowledge/retrieval.ts";
import { metaOf, openForWriting } from "./schema.ts";
import { wordsOfChunk } from "./words.ts";

/** Some chunks of a document, in their order. */
export interface ChunkBatch {
  readonly document: IndexableDocument;
  readonly chunks: readonly Chunk[];
  /** The first of the document: what an interrupted attempt has left is removed. */
  readonly isFirst: boolean;
  /** The last of the document: it replaces its older versions in answers. */
  readonly isLast: boolean;
}

/** The vector of a chunk: whole numbers from -127 to 127, of which each stands for itself times `scale`. */
export interface NewVector {
  readonly chunk: number;
  readonly scale: number;
  readonly vector: Uint8Array;
}

/** Vectors of chunks of one file. */
export interface ChunkVectors {
  readonly fileId: string;
  readonly model: string;
  readonly vectors: readonly NewVector[];
}

interface TextRow {
  number: number;
  headings: string;
  text: string;
}

/** The file of a corpus, open for changes. Its methods throw SQLite's errors; each change is one transaction or several that can be repeated. */
export class CorpusWriter {
  readonly #file: Libsql.Database;
  readonly #languageId: string;

  /** Makes the file where it is missing, damaged, of another format or of another language. */
  constructor(path: string, languageId: string) {
    this.#file = openForWriting(path, languageId);
    this.#languageId = languageId;
  }

  get languageId(): string {
    return this.#languageId;
  }

  /** Adds chunks. A document is in answers when its last batch was added. Returns whether other chunks were removed for it. */
  add({ document, chunks, isFirst, isLast }: ChunkBatch): boolean {
    const { id, version } = document;
    const hasRestarted = isFirst && this.#removeWhere("id = ? AND version = ?", id, version);
    this.#inTransaction(() => {
      const number = this.#documentNumber(document);
      const insertChunk = this.#file.prepare(
        "INSERT INTO chunks (document, ordinal, page, headings, text) VALUES (?, ?, ?, ?, ?)",
      );
      const insertTerms = this.#file.prepare("INSERT INTO terms (rowid, words) VALUES (?, ?)");
      const added = new Map<string, number>();
      for (const { ordinal, page, headings, text } of chunks) {
        const headingsText = JSON.stringify(headings);
        const { lastInsertRowid } = insertChunk.run(number, ordinal, page ?? null, headingsText, text);
        const terms = this.#termsOf(headings, text);
        insertTerms.run(lastInsertRowid, terms.join(" "));
        count(added, terms);
      }
      this.#changeFrequencies(added, 1);
      if (isLast) {
        this.#file.prepare("UPDATE documents SET is_complete = 0 WHERE id = ? AND number <> ?").run(id, number);
        this.#file.prepare("UPDATE documents SET is_complete = 1 WHERE number = ?").run(number);
      }
    });
    const isReplacement = isLast && this.#removeWhere("id = ? AND version <> ?", id, version);
    return hasRestarted || isReplacement;
  }

  /** Removes all versions of a document: from answers at once, and then its words from the file. */
  remove(documentId: DocumentId): void {
    this.#file.prepare("UPDATE documents SET is_complete = 0 WHERE id = ?").run(documentId);
    this.#removeWhere("id = ?", documentId);
  }

  /**
   * Sets vectors of chunks of this file, all made by `model`; those of another model are removed. A chunk that is gone gets none. False
   * where the chunks are of another file: numbers mean other chunks there.
   */
  setVectors({ fileId, model, vectors }: ChunkVectors): boolean {
    if (metaOf(this.#file, "file") !== fileId) return false;
    this.#inTransaction(() => {
      if (metaOf(this.#file, "model") !== model) {
        this.#file.exec("DELETE FROM vectors");
        this.#setMeta("model", model);
      }
      const insert = this.#file.prepare(
        "INSERT OR REPLACE INTO vectors (chunk, scale, vector) SELECT number, ?, ? FROM chunks WHERE number = ?",
      );
      for (const { chunk, scale, vector } of vectors) {
        insert.run(scale, Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength), chunk);
      }
    });
    return true;
  }

  /** Whether nothing was removed since the index was compacted. */
  get isCompact(): boolean {
    return metaOf(this.#file, "removed") === undefined;
  }

  /**
   * Writes the index without what was removed, and the log back: until then SQLite has the terms of removed chunks. It takes some
   * seconds where there are 100,000 chunks. Throws `unavailable` where the log is in use for longer than SQLite waits.
   */
  compact(): void {
    this.#file.exec("INSERT INTO terms (terms) VALUES ('optimize')");
    const [result] = this.#file.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all() as { busy: number }[];
    if (result?.busy !== 0) throw unavailable("the log of a corpus is in use");
    // Last: until then the words are in the log.
    this.#file.exec("DELETE FROM meta WHERE name = 'removed'");
  }

  #setMeta(name: "model" | "removed", value: string): void {
    this.#file.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)").run(name, value);
  }

  close(): void {
    this.#file.close();
  }

  #inTransaction(work: () => void): void {
    this.#file.transaction(work)();
  }

  #documentNumber({ id, version, name }: IndexableDocument): number {
    this.#file.prepare("INSERT OR IGNORE INTO documents (id, version, name) VALUES (?, ?, ?)").run(id, version, name);
    const row = this.#file.prepare("SELECT number FROM documents WHERE id = ? AND version = ?").get(id, version);
    return (row as { number: number }).number;
  }

  #termsOf(headings: readonly string[], text: string): string[] {
    return wordsOfChunk(headings, text, this.#languageId).map(({ term }) => term);
  }

  /** Removes documents with their chunks; whether there were any. */
  #removeWhere(condition: string, ...values: (string | number)[]): boolean {
    const rows = this.#file.prepare(`SELECT number FROM documents WHERE ${condition}`).all(...values);
    for (const { number } of rows as { number: number }[]) {
      while (this.#removeChunks(number) > 0);
      this.#file.prepare("DELETE FROM documents WHERE number = ?").run(number);
    }
    return rows.length > 0;
  }

  /** Removes some chunks of a document, and returns how many. */
  #removeChunks(document: number): number {
    const select = this.#file.prepare("SELECT number, headings, text FROM chunks WHERE document = ? LIMIT ?");
    const rows = select.all(document, INDEX_REMOVE_CHUNKS) as TextRow[];
    this.#inTransaction(() => {
      const removed = new Map<string, number>();
      const statements = ["chunks WHERE number", "terms WHERE rowid", "vectors WHERE chunk"].map((where) =>
        this.#file.prepare(`DELETE FROM ${where} = ?`),
      );
      for (const { number, headings, text } of rows) {
        count(removed, this.#termsOf(JSON.parse(headings) as string[], text));
        for (const statement of statements) statement.run(number);
      }
      this.#changeFrequencies(removed, -1);
      if (rows.length > 0) this.#setMeta("removed", "1");
    });
    return rows.length;
  }

  #changeFrequencies(chunksByTerm: ReadonlyMap<string, number>, sign: 1 | -1): void {
    const change = this.#file.prepare(
      "INSERT INTO frequencies (term, chunks) VALUES (?, ?) ON CONFLICT (term) DO UPDATE SET chunks = chunks + excluded.chunks",
    );
    for (const [term, chunks] of chunksByTerm) change.run(term, sign * chunks);
    if (sign === 1) return;
    const remove = this.#file.prepare("DELETE FROM frequencies WHERE term = ? AND chunks <= 0");
    for (const term of chunksByTerm.keys()) remove.run(term);
  }
}

/** Adds one for each different term of a chunk. */
function count(chunksByTerm: Map<string, number>, terms: readonly string[]): void {
  for (const term of new Set(terms)) chunksByTerm.set(term, (chunksByTerm.get(term) ?? 0) + 1);
}
