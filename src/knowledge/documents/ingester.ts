import type { AccountId } from "../../core/ids.ts";
import type { DocumentFacts, DocumentFailure } from "../../core/knowledge/documents.ts";

/** A file that is to be read. */
export interface IngestTask {
  path: string;
  /** Where its chunks are written: a JSON text of `Chunk` in each line. */
  chunksPath: string;
  /** A name whose end tells Markdown from plain text. */
  name: string;
  /** BCP 47; decides where sentences end. */
  languageId: string;
}

/** `failed`: the document cannot be read at all. */
export type IngestAnswer = { kind: "read"; facts: DocumentFacts } | { kind: "failed"; failure: DocumentFailure };

export interface Ingester {
  /**
   * Reads a file of an account and writes its chunks. Rejects with `ingester_failed` and `unavailable` where another attempt may succeed,
   * with `over_budget` where it took too much processor time or memory, and with the abort's reason.
   */
  read(accountId: AccountId, task: IngestTask, signal: AbortSignal): Promise<IngestAnswer>;
}
