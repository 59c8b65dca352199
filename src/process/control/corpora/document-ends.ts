import type { Clock } from "../../../core/clock.ts";
import { codeOf } from "../../../core/errors.ts";
import { DOCUMENT_FILES_COMPARE_MS, DOCUMENT_FILES_COMPARED } from "../../../core/limits/knowledge/corpora.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { ControlMetrics } from "../../../core/metrics/control-metrics.ts";
import type { Document, DocumentStore } from "../../../store/corpora/document-store.ts";
import type { DocumentFile, DocumentFiles } from "../../../store/data-dir/document-files.ts";

export interface DocumentEndsOptions {
  documents: Pick<DocumentStore, "onEnded" | "find" | "fileDeleted">;
  files: Pick<DocumentFiles, "all" | "adopt" | "remove" | "removeHere" | "removeTemporary">;
  /** Media are encrypted, which uploads are not: files are deleted as soon as they are processed. */
  encryptsMedia: boolean;
  metrics: Pick<ControlMetrics, "documentEnded">;
  clock: Clock;
  log: Logger;
}

/** Counts and logs the documents whose processing has ended, and deletes files that are not kept. */
export class DocumentEnds {
  readonly #options: DocumentEndsOptions;
  #isClosed = false;
  #cancel = (): void => {};

  constructor(options: DocumentEndsOptions) {
    this.#options = options;
  }

  /**
   * From now on, and once for what an earlier process has left: work files of documents that were in progress at once, and after the start,
   * some at a time, files without a document or of an earlier version, and those that are not kept. Call it before the jobs and the API
   * start, which write files: those come later than the ones that are compared.
   */
  async start(): Promise<void> {
    const { documents, files } = this.#options;
    documents.onEnded((document) => void this.#onEnded(document));
    const all = await files.all();
    for (const { id, version, isTemporary } of all) if (isTemporary) await files.removeTemporary(id, version);
    this.#compareLater(all.filter(({ isTemporary }) => !isTemporary));
  }

  close(): void {
    this.#isClosed = true;
    this.#cancel();
  }

  /** `failedInRow`: the last of them, which could not be removed. When those are all, the next start tries again. */
  #compareLater(left: readonly DocumentFile[], failedInRow = 0): void {
    if (left.length === failedInRow || this.#isClosed) return;
    const { clock } = this.#options;
    this.#cancel = clock.after(DOCUMENT_FILES_COMPARE_MS, () => void this.#compareSome(left, failedInRow));
  }

  /** Never rejects: what could not be compared is tried again, and what could not be removed after all others. */
  async #compareSome(files: readonly DocumentFile[], failedBefore: number): Promise<void> {
    const { log } = this.#options;
    const left = [...files];
    let failedInRow = failedBefore;
    let orphans = 0;
    try {
      for (const file of files.slice(0, Math.min(DOCUMENT_FILES_COMPARED, files.length - failedBefore))) {
        const outcome = await this.#compare(file);
        left.shift();
        if (outcome === "failed") left.push(file);
        failedInRow = outcome === "failed" ? failedInRow + 1 : 0;
        if (outcome === "removed") orphans += 1;
      }
    } catch (error) {
      log.warn({ err: error, code: codeOf(error) }, "files of documents could not be compared with the store");
    }
    if (orphans > 0) log.warn({ files: orphans }, "files without a document were deleted");
    this.#compareLater(left, failedInRow);
  }

  /** Removes the file where it is of no document. Rejects where the store does not answer. */
  async #compare({ id, version }: DocumentFile): Promise<"kept" | "removed" | "failed"> {
    const { documents, files, log } = this.#options;
    const document = await documents.find(id);
    if (document?.fileVersion === version) {
      const isKept = !(await this.#deleteUnkept(document));
      return isKept && !(await this.#adopt(document, version)) ? "failed" : "kept";
    }
    try {
      // Another node may be storing a file of this version.
      await files.removeHere(id, version);
      return "removed";
    } catch (error) {
      log.warn({ documentId: id, err: error, code: codeOf(error) }, "file without a document could not be deleted");
      return "failed";
    }
  }

  /** Brings what an earlier process has left on this disk to the bucket, if there is one. */
  async #adopt({ id, status }: Document, version: number): Promise<boolean> {
    // It is used here at present, or about to be.
    if (status === "processing") return true;
    try {
      await this.#options.files.adopt(id, version);
      return true;
    } catch (error) {
      const fields = { documentId: id, err: error, code: codeOf(error) };
      this.#options.log.warn(fields, "file of a document could not be brought to the bucket");
      return false;
    }
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

  /** Resolves with whether it was to be deleted. Never rejects: the next start tries again, and in the bucket the check of files. */
  async #deleteUnkept({ id, status, fileVersion }: Document): Promise<boolean> {
    const { documents, files, encryptsMedia, log } = this.#options;
    if (!encryptsMedia || status === "processing" || fileVersion === undefined) return false;
    try {
      await files.remove(id, fileVersion);
      await documents.fileDeleted(id, fileVersion);
    } catch (error) {
      log.error({ documentId: id, err: error, code: codeOf(error) }, "file of a document could not be deleted");
    }
    return true;
  }
}
