import { codeOf } from "../../core/errors.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { ControlMetrics } from "../../core/metrics/control-metrics.ts";
import type { DocumentFiles } from "../../store/data-dir/document-files.ts";
import type { Document, DocumentStore } from "../../store/document-store.ts";

export interface DocumentEndsOptions {
  documents: Pick<DocumentStore, "onEnded" | "find" | "fileDeleted">;
  files: Pick<DocumentFiles, "all" | "remove" | "removeTemporary">;
  /** Media are encrypted, which uploads are not: files are deleted as soon as they are processed. */
  encryptsMedia: boolean;
  metrics: Pick<ControlMetrics, "documentEnded">;
  log: Logger;
}

/** Counts and logs the documents whose processing has ended, and deletes files that are not kept. */
export class DocumentEnds {
  readonly #options: DocumentEndsOptions;

  constructor(options: DocumentEndsOptions) {
    this.#options = options;
  }

  /**
   * From now on, and once for what an earlier process has left: work files of documents that were in progress, files without a document or
   * of an earlier version, and those that are not kept. Call it before the jobs and the API start, which write files.
   */
  async start(): Promise<void> {
    const { documents, files, log } = this.#options;
    documents.onEnded((document) => void this.#onEnded(document));
    let orphans = 0;
    for (const { id, version, isTemporary } of await files.all()) {
      if (isTemporary) {
        await files.removeTemporary(id, version);
        continue;
      }
      const document = await documents.find(id);
      if (document?.fileVersion === version) await this.#deleteUnkept(document);
      else {
        await files.remove(id, version);
        orphans += 1;
      }
    }
    if (orphans > 0) log.warn({ files: orphans }, "files without a document were deleted");
  }

  async #onEnded(document: Document): Promise<void> {
    const { metrics, log } = this.#options;
    const { id: documentId, accountId, corpusId, source, status, version, facts, failure } = document;
    metrics.documentEnded(failure?.code ?? "ready");
    const found = facts === undefined ? {} : { format: facts.format, chunks: facts.chunks, bytes: facts.bytes };
    const reason = failure === undefined ? {} : { code: failure.code };
    log.info({ documentId, accountId, corpusId, source, status, version, ...found, ...reason }, "document processed");
    await this.#deleteUnkept(document);
  }

  /** Never rejects: the next start tries again. */
  async #deleteUnkept({ id, status, fileVersion }: Document): Promise<void> {
    const { documents, files, encryptsMedia, log } = this.#options;
    if (!encryptsMedia || status === "processing" || fileVersion === undefined) return;
    try {
      await files.remove(id, fileVersion);
      await documents.fileDeleted(id, fileVersion);
    } catch (error) {
      log.error({ documentId: id, err: error, code: codeOf(error) }, "file of a document could not be deleted");
    }
  }
}
