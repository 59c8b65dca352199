import type { AgeMs, EpochMs } from "../../../core/clocks.ts";
import type { AccountId, CorpusId, DocumentId } from "../../../core/ids.ts";

/** Corpora, their documents and passages. */
export interface CorpusTables {
  corpora: {
    id: CorpusId;
    account_id: AccountId;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of a text, as is `description`. */
    name: string;
    description: string;
    language_id: string;
    mode: string;
    /** JSON. */
    metadata: string;
    /** Unique over all corpora: see `ChangedCorpus`. */
    revision: number;
    /** Its documents are deleted meanwhile; of itself nothing but this row is left. */
    deleted_at: EpochMs | null;
  };
  documents: {
    id: DocumentId;
    account_id: AccountId;
    corpus_id: CorpusId;
    created_at: EpochMs;
    updated_at: EpochMs;
    /** JSON of a text, as is `file_name`. */
    name: string;
    source: string;
    url: string | null;
    file_name: string | null;
    /** JSON. */
    metadata: string;
    status: string;
    version: number;
    ready_version: number | null;
    file_version: number | null;
    /** JSON of DocumentFacts. */
    facts: string | null;
    /** Of the facts; 0 while there are none. */
    chunks: number;
    characters: number;
    /** JSON of DocumentFailure. */
    failure: string | null;
    processed_at: EpochMs | null;
    /** 1 while something must be deleted: all of it, or what earlier versions have left. */
    needs_cleaning: number;
    deleted_at: EpochMs | null;
  };
  /** The chunks of the version of a document that can be found, of the one that is processed, and of some that are to be deleted. */
  document_chunks: {
    document_id: DocumentId;
    version: number;
    ordinal: number;
    account_id: AccountId;
    /** JSON, a list of texts. */
    headings: string;
    page: number | null;
    text: string;
  };
  /** Requests with an idempotency key, so that a repeated one creates no second document. */
  document_requests: {
    account_id: AccountId;
    /** SHA-256 of the idempotency key, lower-case hex. */
    key_hash: string;
    document_id: DocumentId;
    fingerprint: string;
    created_at: EpochMs;
    /** The boot, and the time of its AgeClock at which the request was made. */
    boot_id: string;
    created_age_ms: AgeMs;
  };
}
