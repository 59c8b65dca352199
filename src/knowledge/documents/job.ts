import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import type { DocumentId } from "../../core/ids.ts";
import type { Chunk } from "../../core/knowledge/chunks.ts";
import {
  CHUNKS_PER_TRANSACTION,
  DOCUMENT_ATTEMPT_MS_MAX,
  DOCUMENT_CPU_MS_MAX,
  DOCUMENT_OVER_BUDGET_MAX,
  DOCUMENT_RETRY_DELAYS_MS,
  DOCUMENTS_CONCURRENT_MAX,
  DOCUMENTS_PER_ACCOUNT_CONCURRENT_MAX,
  INGESTER_RSS_MB_MAX,
} from "../../core/limits/knowledge/corpora.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { JobContext, JobHandler } from "../../jobs/handler.ts";
import type { CorpusStore } from "../../store/corpora/corpus-store.ts";
import type { Document, DocumentEnd, DocumentStore } from "../../store/corpora/document-store.ts";
import type { ClaimedJob } from "../../store/job-store.ts";
import { failureOf, withoutFile } from "./errors.ts";
import type { Ingester } from "./ingester.ts";

/** The files of documents, as their processing uses them. */
export interface WorkFiles {
  path(id: DocumentId, version: number): string;
  chunksPath(id: DocumentId, version: number): string;
  makeFolder(): void;
  removeTemporary(id: DocumentId, version: number): Promise<void>;
  /** Brings the file of this version to this disk, if there is one. */
  fetch(id: DocumentId, version: number): Promise<void>;
  /** The file of this version is not used here any more. */
  release(id: DocumentId, version: number): Promise<void>;
}

export interface DocumentJobOptions {
  documents: Pick<DocumentStore, "find" | "storeChunks" | "end">;
  corpora: Pick<CorpusStore, "get">;
  ingester: Ingester;
  files: WorkFiles;
  /** Fetches a document to a file, whose path it returns. Rejects with `document_unavailable` and `document_unreachable`. */
  fetch: (document: Document, url: string, signal: AbortSignal) => Promise<string>;
  /** The processing of a document ended, after this time. */
  onProcessed: (status: DocumentEnd["status"], tookMs: number) => void;
  clock: Clock;
  log: Logger;
}

/** Processes a version of a document: has it fetched and read, and stores its chunks. Another attempt begins anew, and stores the same. */
export class DocumentJob implements JobHandler {
  readonly concurrentMax = DOCUMENTS_PER_ACCOUNT_CONCURRENT_MAX;
  readonly concurrentTotalMax = DOCUMENTS_CONCURRENT_MAX;
  readonly attemptMsMax = DOCUMENT_ATTEMPT_MS_MAX;
  readonly retryDelaysMs = DOCUMENT_RETRY_DELAYS_MS;
  readonly #options: DocumentJobOptions;

  constructor(options: DocumentJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, { signal }: JobContext): Promise<void> {
    const { documents, corpora, files, clock, onProcessed } = this.#options;
    const { documentId: id, version } = job.payload as { documentId: DocumentId; version: number };
    const document = await documents.find(id);
    if (document?.status !== "processing" || document.version !== version) return;
    const corpus = await corpora.get(document.accountId, document.corpusId);
    if (corpus === undefined) return;
    const begunMs = clock.nowMs();
    files.makeFolder();
    try {
      const end = await this.#process(document, corpus.languageId, job, signal);
      if (end !== undefined && (await documents.end(id, version, end)) !== undefined)
        onProcessed(end.status, elapsedMs(begunMs, clock.nowMs()));
    } finally {
      await files.removeTemporary(id, version);
      if (document.fileVersion !== undefined) await files.release(id, document.fileVersion);
    }
  }

  /** Undefined where the document was removed or replaced meanwhile. */
  async #process(
    document: Document,
    languageId: string,
    job: ClaimedJob,
    signal: AbortSignal,
  ): Promise<DocumentEnd | undefined> {
    const { ingester, files } = this.#options;
    const { id, accountId, version } = document;
    try {
      const path = await this.#pathOf(document, signal);
      const chunksPath = files.chunksPath(id, version);
      const answer = await ingester.read(
        accountId,
        { path, chunksPath, name: fileNameOf(document), languageId },
        signal,
      );
      if (answer.kind === "failed") return { status: "failed", failure: answer.failure };
      return (await this.#store(document, chunksPath, signal)) ? { status: "ready", facts: answer.facts } : undefined;
    } catch (error) {
      signal.throwIfAborted();
      return { status: "failed", failure: this.#failureOf(error, document, job) };
    }
  }

  async #pathOf(document: Document, signal: AbortSignal): Promise<string> {
    const { id, url, fileVersion } = document;
    if (url !== undefined) return await this.#options.fetch(document, url, signal);
    if (fileVersion === undefined) throw withoutFile();
    await this.#options.files.fetch(id, fileVersion);
    return this.#options.files.path(id, fileVersion);
  }

  /** False where the document was removed or replaced meanwhile. */
  async #store({ id, version }: Document, chunksPath: string, signal: AbortSignal): Promise<boolean> {
    const { documents } = this.#options;
    let batch: Chunk[] = [];
    for await (const line of createInterface({
      input: createReadStream(chunksPath),
      crlfDelay: Number.POSITIVE_INFINITY,
    })) {
      signal.throwIfAborted();
      batch.push(JSON.parse(line));
      if (batch.length < CHUNKS_PER_TRANSACTION) continue;
      if (!(await documents.storeChunks(id, version, batch))) return false;
      batch = [];
    }
    return batch.length === 0 || (await documents.storeChunks(id, version, batch));
  }

  /** What the error of an attempt means for the document. Throws it where another attempt may succeed. */
  #failureOf(error: unknown, { id: documentId }: Document, job: ClaimedJob) {
    const isLast = job.attempt > this.retryDelaysMs.length;
    const code = codeOf(error);
    if (code === "over_budget" && job.attempt >= DOCUMENT_OVER_BUDGET_MAX) {
      this.#options.log.warn({ documentId, code }, "document is too complex");
      return { code: "too_complex", message: TOO_COMPLEX } as const;
    }
    const failure = failureOf(error);
    if (failure === undefined || (failure.code === "document_unreachable" && !isLast)) throw error;
    return failure;
  }
}

/** A name whose end says what kind of text a document is. A text that a request had is Markdown unless its name says otherwise. */
function fileNameOf({ name, source, url, fileName }: Document): string {
  if (url !== undefined) return new URL(url).pathname;
  if (source === "text") return /\.(?:txt|html?|md)$/i.test(name) ? name : `${name}.md`;
  return fileName ?? name;
}

const TOO_COMPLEX =
  `reading the document takes more than ${DOCUMENT_CPU_MS_MAX / 1_000} s of processor time or ${INGESTER_RSS_MB_MAX} MB of memory: ` +
  "divide it, or save it in another format";
