import type { EpochMs } from "../../core/clocks.ts";
import type { AccountId, CallId, CorpusId, DocumentId } from "../../core/ids.ts";
import type { ReplyPassages } from "../../core/knowledge/call-knowledge.ts";
import type { Chunk, IndexableDocument } from "../../core/knowledge/chunks.ts";
import type { CorpusMode, DocumentStatus } from "../../core/knowledge/documents.ts";
import type { Act } from "../accounts/audit-store.ts";

/** What a client says about a corpus. */
export interface CorpusDefinition {
  readonly name: string;
  readonly description: string;
  /** BCP 47; the language of its documents. */
  readonly languageId: string;
  readonly mode: CorpusMode;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** The fields that change. */
export type CorpusChanges = { readonly [Name in keyof CorpusDefinition]?: CorpusDefinition[Name] | undefined };

/** Documents that agents answer from. */
export interface Corpus extends CorpusDefinition {
  readonly id: CorpusId;
  readonly accountId: AccountId;
  readonly createdAtMs: EpochMs;
  readonly updatedAtMs: EpochMs;
}

/** How many documents a corpus has in each state, and the size of those whose text can be found. */
export interface CorpusSize extends Readonly<Record<DocumentStatus, number>> {
  readonly chunks: number;
  /** UTF-16 code units. */
  readonly characters: number;
}

export interface CorpusQuery {
  readonly accountId: AccountId;
  /** Those that were created before this one, the newest first. */
  readonly before?: CorpusId | undefined;
  readonly limit: number;
}

/** A reply in a call that is over for which the LLM was given passages of a corpus. */
export interface CorpusRetrieval {
  readonly callId: CallId;
  /** Of the reply among the turns of its call, from 0. */
  readonly position: number;
  /** When the reply began. */
  readonly atMs: EpochMs;
  /** What the caller said before it; undefined where nothing was said, and where words are not stored. */
  readonly question: string | undefined;
  /** The passages of this corpus. */
  readonly retrieval: ReplyPassages;
}

export interface CorpusRetrievalQuery {
  readonly accountId: AccountId;
  readonly corpusId: CorpusId;
  /** Those before this reply, the latest first. */
  readonly before?: Pick<CorpusRetrieval, "callId" | "position"> | undefined;
  readonly limit: number;
}

export interface CorpusRetrievalPage {
  readonly retrievals: readonly CorpusRetrieval[];
  /** Where the list goes on, though fewer than `limit` were found, or none; undefined at its end. */
  readonly next: Pick<CorpusRetrieval, "callId" | "position"> | undefined;
}

/** A corpus whose index must be brought up to date. */
export interface ChangedCorpus {
  readonly corpusId: CorpusId;
  /** Grows, over all corpora, with each change of the ready documents of one, of its language, and with its deletion. */
  readonly revision: number;
  readonly languageId: string;
  readonly isDeleted: boolean;
}

/** Every operation rejects with `unavailable` when the store cannot answer at present. */
export interface CorpusStore {
  /** Undefined where the account has CORPORA_PER_ACCOUNT_MAX. `act` is recorded in the audit log; without it the service itself acts. */
  create(accountId: AccountId, definition: CorpusDefinition, act?: Act): Promise<Corpus | undefined>;
  get(accountId: AccountId, id: CorpusId): Promise<Corpus | undefined>;
  list(query: CorpusQuery): Promise<{ corpora: readonly Corpus[]; more: boolean }>;
  /** What was retrieved from a corpus in calls that are over. Looks through RETRIEVAL_TURNS_PER_READ replies of the account at most. */
  listRetrievals(query: CorpusRetrievalQuery): Promise<CorpusRetrievalPage>;
  sizes(ids: readonly CorpusId[]): Promise<ReadonlyMap<CorpusId, CorpusSize>>;
  update(accountId: AccountId, id: CorpusId, changes: CorpusChanges, act?: Act): Promise<Corpus | undefined>;
  /**
   * Deletes it with its documents: at once nothing of them can be read, and a job (`CORPUS_CLEAN_JOB`) deletes what is stored. Returns
   * whether there was one.
   */
  remove(accountId: AccountId, id: CorpusId, act?: Act): Promise<boolean>;
  /** Forgets corpora that were deleted before then: every index has learnt of it. Returns how many, some at a time. */
  forgetRemoved(beforeMs: EpochMs): Promise<number>;

  /** The documents whose chunks can be found; none of a corpus that is deleted. */
  indexable(id: CorpusId): Promise<readonly IndexableDocument[]>;
  /** Chunks of one version of a document in their order, from this ordinal on; none where another version has replaced it. */
  chunks(documentId: DocumentId, version: number, fromOrdinal: number, limit: number): Promise<readonly Chunk[]>;
  /** The corpora with a greater revision, in its order. */
  corporaChangedAfter(revision: number, limit: number): Promise<readonly ChangedCorpus[]>;
}
