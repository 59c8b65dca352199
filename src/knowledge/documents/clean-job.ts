import type { CorpusId, DocumentId } from "../../core/ids.ts";
import {
  DOCUMENT_ATTEMPT_MS_MAX,
  DOCUMENT_RETRY_DELAYS_MS,
  DOCUMENTS_TO_CLEAN_MAX,
} from "../../core/limits/knowledge/corpora.ts";
import type { JobContext, JobHandler } from "../../jobs/handler.ts";
import type { DocumentStore, DocumentToClean } from "../../store/corpora/document-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";

export interface CleanJobOptions {
  documents: Pick<DocumentStore, "listToClean" | "clean">;
  removeFile: (id: DocumentId, version: number) => Promise<void>;
}

/** Deletes what is stored of deleted documents and corpora, and what earlier versions of documents have left. */
export class CorpusCleanJob implements JobHandler {
  readonly attemptMsMax = DOCUMENT_ATTEMPT_MS_MAX;
  readonly retryDelaysMs = DOCUMENT_RETRY_DELAYS_MS;
  readonly #options: CleanJobOptions;

  constructor(options: CleanJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, { signal }: JobContext): Promise<void> {
    const { corpusId, documentId } = job.payload as { corpusId: CorpusId; documentId?: DocumentId };
    const { documents } = this.#options;
    for (;;) {
      signal.throwIfAborted();
      const due = await documents.listToClean(corpusId, documentId, DOCUMENTS_TO_CLEAN_MAX);
      for (const one of due) await this.#clean(one, signal);
      if (documentId !== undefined || due.length === 0) return;
    }
  }

  /** The file first: after a failure between the two, the record still leads to it. */
  async #clean({ id, isRemoved, fileVersion }: DocumentToClean, signal: AbortSignal): Promise<void> {
    if (isRemoved && fileVersion !== undefined) await this.#options.removeFile(id, fileVersion);
    await this.#options.documents.clean(id, signal);
  }
}
