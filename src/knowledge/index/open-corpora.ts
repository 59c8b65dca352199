import { setImmediate } from "node:timers/promises";
import type { CorpusId } from "../../core/ids.ts";
import { INDEX_STATE_DOCUMENTS_MAX, OPEN_CORPORA_MAX } from "../../core/limits/knowledge/retrieval.ts";
import type { ChangeOutcome, IndexChange } from "./changes.ts";
import { corporaIn, corpusPath, isCorpusId } from "./corpus-path.ts";
import { CorpusReader, type StoredDocument } from "./corpus-reader.ts";
import { isCorrupt, isLost, isMissing } from "./schema.ts";

/** What the index has of a corpus. */
export interface IndexedCorpus {
  readonly corpusId: CorpusId;
  readonly languageId: string;
  readonly documents: readonly StoredDocument[];
}

/** Some corpora of the index, in the order of their ids. */
export interface IndexPage {
  readonly corpora: readonly IndexedCorpus[];
  /** The corpus after which the next page begins, which need not be in this one; absent in the last page. */
  readonly next?: CorpusId;
}

/** The files of corpora that questions are answered from; those asked most recently are open. */
export class OpenCorpora {
  readonly #folder: string;
  readonly #onLost: (corpusId: CorpusId) => void;
  /** That which was asked least recently comes first. */
  readonly #readers = new Map<CorpusId, CorpusReader>();
  /** Corpora that have a file, as far as this process knows. */
  readonly #known: Set<CorpusId>;
  /** Those that were reported as lost, until they are made again: once is enough. */
  readonly #lost = new Set<CorpusId>();

  /** `onLost` is called for a corpus whose file is damaged: it is to be made again. */
  constructor(folder: string, onLost: (corpusId: CorpusId) => void) {
    this.#folder = folder;
    this.#onLost = onLost;
    this.#known = new Set(corporaIn(folder));
  }

  /** How many files are open. */
  get count(): number {
    return this.#readers.size;
  }

  /** Calls `use` with the file of a corpus; undefined where there is none that can be used. Throws `unavailable` where it cannot be opened at present. */
  with<Result>(corpusId: CorpusId, use: (reader: CorpusReader) => Result): Result | undefined {
    const reader = this.#reader(corpusId);
    if (reader === undefined) return undefined;
    try {
      return use(reader);
    } catch (error) {
      if (!isCorrupt(error)) throw error;
      this.#lose(corpusId);
      return undefined;
    }
  }

  /**
   * What the index has after a corpus, in the order of their ids: corpora whose files can be used, until they have `documentsMax`. Rejects as
   * `with` throws: what is left out would be made again. Files are opened one in a turn of the event loop: there may be thousands.
   */
  async page(after: CorpusId | undefined, documentsMax = INDEX_STATE_DOCUMENTS_MAX): Promise<IndexPage> {
    const corpora: IndexedCorpus[] = [];
    let count = 0;
    let last = after;
    for (const corpusId of [...corporaIn(this.#folder)].sort()) {
      if (after !== undefined && corpusId <= after) continue;
      if (last !== undefined && count >= documentsMax) return { corpora, next: last };
      const found = this.with(corpusId, (reader) => ({
        corpusId,
        languageId: reader.languageId,
        documents: reader.documents(),
      }));
      if (found !== undefined) corpora.push(found);
      last = corpusId;
      count += 1 + (found?.documents.length ?? 0);
      await setImmediate();
    }
    return { corpora };
  }

  /** To be called before a file is made: one that was removed by hand may be open, and would go on answering. */
  closeMissing(corpusId: CorpusId): void {
    if (isMissing(corpusPath(this.#folder, corpusId))) this.forget(corpusId);
  }

  /** To be called after each change. */
  changed({ kind, corpusId }: IndexChange, outcome: ChangeOutcome): void {
    if (kind === "remove-corpus" || outcome === "lost") {
      this.forget(corpusId);
      this.#known.delete(corpusId);
    } else if (kind === "corpus") {
      if (outcome === "made") this.forget(corpusId);
      this.#known.add(corpusId);
      this.#lost.delete(corpusId);
    } else this.#readers.get(corpusId)?.changed();
  }

  /** Closes the file of a corpus. */
  forget(corpusId: CorpusId): void {
    this.#readers.get(corpusId)?.close();
    this.#readers.delete(corpusId);
  }

  close(): void {
    for (const corpusId of [...this.#readers.keys()]) this.forget(corpusId);
  }

  #reader(corpusId: CorpusId): CorpusReader | undefined {
    if (!isCorpusId(corpusId)) return undefined;
    const path = corpusPath(this.#folder, corpusId);
    if (isMissing(path)) {
      // It was deleted by hand, perhaps while it is open.
      if (this.#known.has(corpusId)) this.#lose(corpusId);
      return undefined;
    }
    const known = this.#readers.get(corpusId) ?? this.#opened(corpusId, path);
    if (known === undefined) return undefined;
    this.#readers.delete(corpusId);
    this.#readers.set(corpusId, known);
    for (const [oldest] of this.#readers) {
      if (this.#readers.size <= OPEN_CORPORA_MAX) break;
      this.forget(oldest);
    }
    return known;
  }

  #opened(corpusId: CorpusId, path: string): CorpusReader | undefined {
    try {
      return new CorpusReader(path);
    } catch (error) {
      if (!isLost(error)) throw error;
      this.#lose(corpusId);
      return undefined;
    }
  }

  #lose(corpusId: CorpusId): void {
    this.forget(corpusId);
    if (this.#lost.has(corpusId)) return;
    this.#lost.add(corpusId);
    this.#onLost(corpusId);
  }
}
