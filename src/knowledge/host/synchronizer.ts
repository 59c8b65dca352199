import type { Clock } from "../../core/clock.ts";
import { codeOf } from "../../core/errors.ts";
import type { CorpusId, DocumentId } from "../../core/ids.ts";
import type { Chunk, IndexableDocument } from "../../core/knowledge/chunks.ts";
import {
  INDEX_BATCH_CHARS,
  INDEX_BATCH_CHUNKS,
  INDEX_POLL_MS,
  INDEX_RETRY_MS_MAX,
} from "../../core/limits/knowledge/retrieval.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ChangeOutcome, IndexChange } from "../index/changes.ts";
import type { StoredDocument } from "../index/corpus-reader.ts";
import type { IndexedCorpus } from "../index/open-corpora.ts";

/** A corpus that has changed, as the store has it. */
export interface ChangedCorpus {
  readonly corpusId: CorpusId;
  /** Grows with each change; changes of all corpora have one order. */
  readonly revision: number;
  readonly languageId: string;
  readonly isDeleted: boolean;
}

/** The part of the store that the index is made from. */
export interface IndexSource {
  /** Corpora that changed after a revision, in the order of their changes. */
  corporaChangedAfter(revision: number, limit: number): Promise<readonly ChangedCorpus[]>;
  /** The documents of a corpus that are ready. */
  indexable(corpusId: CorpusId): Promise<readonly IndexableDocument[]>;
  /** Chunks of a version of a document, in their order. */
  chunks(documentId: DocumentId, version: number, fromOrdinal: number, limit: number): Promise<readonly Chunk[]>;
}

/** The part of the index that the synchronizer uses. */
export interface SynchronizedIndex {
  state(): Promise<readonly IndexedCorpus[]>;
  change(change: IndexChange): Promise<ChangeOutcome>;
}

export interface SynchronizerOptions {
  readonly source: IndexSource;
  readonly index: SynchronizedIndex;
  /** There is something to index, or to remove: the retrieval process must run. */
  readonly onNeeded: () => void;
  /** Whether an earlier service has left files of an index. */
  readonly hasFiles: () => boolean;
  readonly clock: Clock;
  readonly log: Logger;
}

const CORPORA_PAGE = 100;

/** Another attempt after the outcome `lost`: the first removes a file that cannot be used, the second makes one. */
const MAKE_ATTEMPTS = 2;

/**
 * Keeps the index equal to the store: compares both when it starts, when the retrieval process was started again and when that has lost a
 * file; then it follows the changes. What was not done is found again by the next comparison, so nothing of it is stored.
 */
export class IndexSynchronizer {
  readonly #options: SynchronizerOptions;
  /** What the index has, by corpus; undefined before it was asked. */
  #indexed: Map<CorpusId, IndexedCorpus> | undefined;
  /** The revision up to which the index equals the store. */
  #revision = 0;
  /** Corpora that were seen since the revision was 0. */
  readonly #seen = new Set<CorpusId>();
  /** Corpora that were skipped in a row. */
  #skipped = 0;
  #mustCompare = true;
  #isNeeded = false;
  #isRunning = false;
  /** Runs that failed in a row. */
  #failures = 0;
  #isWoken = false;
  #isClosed = false;
  #cancelPoll = (): void => {};

  constructor(options: SynchronizerOptions) {
    this.#options = options;
  }

  /** Follows the changes of the store from now on, also those of other processes. */
  start(): void {
    this.wake();
  }

  /** Something in the store has changed. After a failure it waits for the next look: each compares everything. */
  wake(): void {
    this.#isWoken = true;
    if (this.#failures === 0) this.#runIfIdle();
  }

  /** What the index has is unknown: it is compared with the store. */
  compare(): void {
    this.#mustCompare = true;
    this.#isWoken = true;
    this.#runIfIdle();
  }

  #runIfIdle(): void {
    if (!this.#isRunning && !this.#isClosed) void this.#run();
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelPoll();
  }

  /** Runs until the index has all of the store, or cannot be reached: then it goes on at the next look. Never rejects. */
  async #run(): Promise<void> {
    this.#isRunning = true;
    this.#cancelPoll();
    while (this.#isWoken && !this.#isClosed) {
      this.#isWoken = false;
      try {
        await this.#synchronize();
        this.#failures = this.#mustCompare ? this.#failures + 1 : 0;
      } catch (error) {
        this.#mustCompare = true;
        this.#failures += 1;
        this.#options.log.warn({ err: error, code: codeOf(error) }, "index of corpora could not be brought up to date");
        break;
      }
      // The first repetition comes at once; what fails again waits.
      if (this.#failures > 1) break;
    }
    this.#isRunning = false;
    if (this.#isClosed) return;
    const delayMs = Math.min(INDEX_POLL_MS * 2 ** this.#failures, INDEX_RETRY_MS_MAX);
    this.#cancelPoll = this.#options.clock.after(delayMs, () => {
      this.#isWoken = true;
      this.#runIfIdle();
    });
  }

  async #synchronize(): Promise<void> {
    const { source } = this.#options;
    const isComparison = this.#mustCompare;
    if (isComparison) {
      this.#mustCompare = false;
      this.#indexed = undefined;
      this.#revision = 0;
      this.#seen.clear();
    }
    for (;;) {
      const changed = await source.corporaChangedAfter(this.#revision, CORPORA_PAGE);
      const last = changed.at(-1);
      if (last === undefined) break;
      if (!this.#isNeeded && !changed.every(({ isDeleted }) => isDeleted)) this.#need();
      for (const corpus of this.#isNeeded ? changed : []) await this.#bringOrSkip(corpus);
      this.#revision = last.revision;
    }
    if (!isComparison) return;
    if (!this.#isNeeded && this.#options.hasFiles()) this.#need();
    if (!this.#isNeeded) return;
    const indexed = await this.#known();
    for (const corpusId of [...indexed.keys()]) {
      if (!this.#seen.has(corpusId)) await this.#remove(corpusId, indexed);
    }
  }

  /** One corpus that cannot be brought up to date does not keep back the others: it is tried again with the next comparison. */
  async #bringOrSkip(corpus: ChangedCorpus): Promise<void> {
    const indexed = await this.#known();
    try {
      await this.#bring(corpus, indexed);
      this.#skipped = 0;
    } catch (error) {
      this.#skipped += 1;
      this.#mustCompare = true;
      // Two in a row: it is the process that cannot be reached, or the disk that is full.
      if (this.#skipped > 1) throw error;
      const { corpusId } = corpus;
      this.#options.log.error(
        { corpusId, err: error, code: codeOf(error) },
        "index of a corpus could not be brought up to date",
      );
    }
  }

  #need(): void {
    this.#isNeeded = true;
    this.#options.onNeeded();
  }

  async #known(): Promise<Map<CorpusId, IndexedCorpus>> {
    if (this.#indexed === undefined) {
      const corpora = await this.#options.index.state();
      this.#indexed = new Map(corpora.map((corpus) => [corpus.corpusId, corpus]));
    }
    return this.#indexed;
  }

  async #remove(corpusId: CorpusId, indexed: Map<CorpusId, IndexedCorpus>): Promise<void> {
    await this.#options.index.change({ kind: "remove-corpus", corpusId });
    indexed.delete(corpusId);
    this.#options.log.info({ corpusId }, "corpus removed from the index");
  }

  /** Makes the index of one corpus equal to the store. */
  async #bring(corpus: ChangedCorpus, indexed: Map<CorpusId, IndexedCorpus>): Promise<void> {
    const { corpusId, languageId, isDeleted } = corpus;
    this.#seen.add(corpusId);
    if (isDeleted) {
      if (indexed.has(corpusId)) await this.#remove(corpusId, indexed);
      return;
    }
    const known = indexed.get(corpusId);
    if (known?.languageId !== languageId) await this.#make(corpusId, languageId, indexed);
    const { documents = [] } = indexed.get(corpusId) ?? {};
    const wanted = await this.#options.source.indexable(corpusId);
    const wantedVersions = new Map(wanted.map(({ id, version }) => [id, version]));
    const gone = new Set(documents.map(({ id }) => id).filter((id) => !wantedVersions.has(id)));
    for (const documentId of gone) await this.#change({ kind: "remove-document", corpusId, documentId });
    const isWanted = ({ id, version }: StoredDocument): boolean => wantedVersions.get(id) === version;
    const complete = new Set(documents.filter((one) => one.isComplete && isWanted(one)).map(({ id }) => id));
    const withOthers = new Set(documents.filter((one) => !isWanted(one)).map(({ id }) => id));
    for (const document of wanted) {
      if (!complete.has(document.id)) await this.#add(corpusId, document);
      else if (withOthers.has(document.id)) await this.#removeOthers(corpusId, document);
    }
    const indexedNow = wanted.map(({ id, version }) => ({ id, version, isComplete: true }));
    indexed.set(corpusId, { corpusId, languageId, documents: indexedNow });
  }

  async #make(corpusId: CorpusId, languageId: string, indexed: Map<CorpusId, IndexedCorpus>): Promise<void> {
    for (let attempt = 0; attempt < MAKE_ATTEMPTS; attempt++) {
      const outcome = await this.#options.index.change({ kind: "corpus", corpusId, languageId });
      if (outcome !== "done") indexed.delete(corpusId);
      if (outcome !== "lost") return;
    }
  }

  async #add(corpusId: CorpusId, document: IndexableDocument): Promise<void> {
    const { source, log } = this.#options;
    let count = 0;
    for (let isLast = false; !isLast; ) {
      const page = await source.chunks(document.id, document.version, count, INDEX_BATCH_CHUNKS);
      const chunks = withinChars(page);
      isLast = chunks.length === page.length && page.length < INDEX_BATCH_CHUNKS;
      await this.#change({ kind: "add", corpusId, batch: { document, chunks, isFirst: count === 0, isLast } });
      count += chunks.length;
    }
    log.info({ corpusId, documentId: document.id, version: document.version, chunks: count }, "document indexed");
  }

  /** Removes other versions of a complete document: the process ended before they were. The end of its last batch does so. */
  async #removeOthers(corpusId: CorpusId, document: IndexableDocument): Promise<void> {
    await this.#change({ kind: "add", corpusId, batch: { document, chunks: [], isFirst: false, isLast: true } });
  }

  /** Rejects when the file was lost meanwhile: the next run begins with a comparison. */
  async #change(change: IndexChange): Promise<void> {
    if ((await this.#options.index.change(change)) !== "lost") return;
    this.compare();
    throw new Error(`the index of ${change.corpusId} was lost and is made again`);
  }
}

/** The first of some chunks, at least one, whose texts fit into a message. */
function withinChars(chunks: readonly Chunk[]): readonly Chunk[] {
  let chars = 0;
  const end = chunks.findIndex(({ text }, at) => {
    chars += text.length;
    return at > 0 && chars > INDEX_BATCH_CHARS;
  });
  return end < 0 ? chunks : chunks.slice(0, end);
}
