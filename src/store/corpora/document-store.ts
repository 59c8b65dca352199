import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CorpusId, DocumentId } from "../../core/ids.ts";
import type { Chunk } from "../../core/knowledge/chunks.ts";
import type { DocumentFacts, DocumentFailure, DocumentSource, DocumentStatus } from "../../core/knowledge/documents.ts";
import type { Act } from "../accounts/audit-store.ts";

/** A document of a corpus, without its chunks. */
export interface Document {
  readonly id: DocumentId;
  readonly accountId: AccountId;
  readonly corpusId: CorpusId;
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
  readonly name: string;
  readonly source: DocumentSource;
  /** Where it is fetched, each time that it is processed; absent for other sources. */
  readonly url?: string;
  /** The name of the uploaded file, as the client gave it. */
  readonly fileName?: string;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly status: DocumentStatus;
  /** From 1; grows whenever it is to be processed. */
  readonly version: number;
  /** The version whose chunks can be found. While another is processed it is the one before. */
  readonly readyVersion?: number;
  /** The version with which its file came. Absent where no file is kept: it is fetched, or was deleted after it was read. */
  readonly fileVersion?: number;
  /** Of its latest version that was read. */
  readonly facts?: DocumentFacts;
  readonly failure?: DocumentFailure;
  /** When its processing ended last. */
  readonly processedAtMs?: EpochMs;
}

export type NewDocument = Pick<
  Document,
  "id" | "accountId" | "corpusId" | "name" | "source" | "url" | "fileName" | "metadata"
>;

/** What distinguishes a request that may be repeated. */
export interface IdempotentDocument {
  /** SHA-256 of the idempotency key, lower-case hex. */
  readonly keyHash: string;
  /** Of everything that was asked for. */
  readonly fingerprint: string;
}

/** `full`: the corpus has DOCUMENTS_PER_CORPUS_MAX. `unknown`: there is no such corpus. `mismatch`: another request had this key. */
export type DocumentCreation =
  | { readonly kind: "created" | "replayed"; readonly document: Document }
  | { readonly kind: "mismatch" | "full" | "unknown" };

/** Other content for a document, or a change of what is said about it. */
export interface DocumentReplacement {
  readonly name: string;
  readonly source: DocumentSource;
  readonly url?: string | undefined;
  readonly fileName?: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface DocumentQuery {
  readonly accountId: AccountId;
  readonly corpusId: CorpusId;
  readonly status?: DocumentStatus | undefined;
  readonly source?: DocumentSource | undefined;
  /** Those that were created before this one, the newest first. */
  readonly before?: DocumentId | undefined;
  readonly limit: number;
}

export type DocumentEnd =
  | { readonly status: "ready"; readonly facts: DocumentFacts }
  | { readonly status: "failed"; readonly failure: DocumentFailure };

/** A document of which something must be deleted: all of it, or what earlier versions have left. */
export interface DocumentToClean {
  readonly id: DocumentId;
  readonly isRemoved: boolean;
  /** The version of the file that stays. */
  readonly fileVersion?: number;
}

/** Every operation rejects with `unavailable` when the store cannot answer at present. */
export interface DocumentStore {
  /** Stores a document that is processed, and the job that does it (`DOCUMENT_JOB`, lane: the account) in the same transaction. */
  create(document: NewDocument, act?: Act): Promise<DocumentCreation>;
  /** As `create`, once for all requests of the account with this key within IDEMPOTENCY_MS. */
  createOnce(document: NewDocument, request: IdempotentDocument, act?: Act): Promise<DocumentCreation>;
  get(accountId: AccountId, corpusId: CorpusId, id: DocumentId): Promise<Document | undefined>;
  /** For jobs and events, which know no corpus. */
  find(id: DocumentId): Promise<Document | undefined>;
  list(query: DocumentQuery): Promise<{ documents: readonly Document[]; more: boolean }>;
  /** Calls `listener` after the commit when this store has ended the processing of a document. */
  onEnded(listener: (document: Document) => void): void;

  /**
   * Has the document processed again, as its next version, with other content where `replacement` is given. Its file has then come with
   * that version. Undefined where it is gone or `version` is not its latest any more.
   */
  process(
    document: Pick<Document, "id" | "accountId" | "version">,
    replacement?: DocumentReplacement,
    act?: Act,
  ): Promise<Document | undefined>;
  /** Stores chunks of a version that is being processed; a chunk with the same ordinal is replaced. False where it is not any more. */
  storeChunks(id: DocumentId, version: number, chunks: readonly Chunk[]): Promise<boolean>;
  /**
   * Ends the processing of a version, and stores the event `document.ready` or `document.failed` in the same transaction, with a job
   * (`CORPUS_CLEAN_JOB`) that deletes what earlier versions have left. Undefined where that version is not being processed any more.
   * Rejects with `unavailable` where not all of its chunks are stored.
   */
  end(id: DocumentId, version: number, end: DocumentEnd): Promise<Document | undefined>;
  /** Its file has been deleted. */
  fileDeleted(id: DocumentId, fileVersion: number): Promise<void>;

  /**
   * Deletes it, its events and its jobs; a job (`CORPUS_CLEAN_JOB`) deletes its chunks and its file. Returns whether there was one. `act`
   * is recorded in the audit log; without it the service itself acts.
   */
  remove(accountId: AccountId, corpusId: CorpusId, id: DocumentId, act?: Act): Promise<boolean>;
  /** Those of a corpus, or this one, of which something must be deleted; some at a time. */
  listToClean(corpusId: CorpusId, id: DocumentId | undefined, limit: number): Promise<readonly DocumentToClean[]>;
  /** Deletes chunks that can be found no more, in short transactions, and the record of a document that was removed. */
  clean(id: DocumentId, signal: AbortSignal): Promise<void>;
}
