import type { Clock } from "../../../core/clock.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { ControlMetrics } from "../../../core/metrics/control-metrics.ts";
import type { GuardedHttp } from "../../../core/network/guarded-http.ts";
import { CorpusCleanJob } from "../../../knowledge/documents/clean-job.ts";
import { fetchDocument } from "../../../knowledge/documents/fetch-document.ts";
import { DocumentJob } from "../../../knowledge/documents/job.ts";
import type { DocumentFiles } from "../../../store/data-dir/document-files.ts";
import type { Stores } from "../../../store/stores.ts";
import { IngesterClient } from "../../ingester/client.ts";
import { forkIngester } from "../../ingester/fork.ts";

export interface DocumentProcessingOptions {
  stores: Pick<Stores, "corpora" | "documents">;
  files: DocumentFiles;
  bytesMax: number;
  http: GuardedHttp;
  isDiskLow: () => boolean;
  metrics: Pick<ControlMetrics, "budgetedTask" | "documentProcessed">;
  clock: Clock;
  log: Logger;
}

export interface DocumentProcessing {
  readonly job: DocumentJob;
  readonly cleaning: CorpusCleanJob;
  /** Ends the process that reads; what it has in progress is attempted again after the next start. */
  close(): Promise<void>;
}

/** Processes documents: by jobs of the control process, which have a child read them. */
export function documentProcessing(options: DocumentProcessingOptions): DocumentProcessing {
  const { stores, files, bytesMax, http, isDiskLow, metrics, clock, log } = options;
  const ingester = new IngesterClient({
    start: forkIngester(),
    clock,
    log,
    count: (outcome) => metrics.budgetedTask("documents", outcome),
  });
  const job = new DocumentJob({
    documents: stores.documents,
    corpora: stores.corpora,
    ingester,
    files,
    async fetch({ id, version }, url, signal) {
      const path = files.fetchedPath(id, version);
      await fetchDocument(url, path, { http, clock, bytesMax, isDiskLow }, signal);
      return path;
    },
    onProcessed: (status, tookMs) => metrics.documentProcessed(status, tookMs),
    clock,
    log,
  });
  const cleaning = new CorpusCleanJob({
    documents: stores.documents,
    removeFile: (id, version) => files.remove(id, version),
  });
  return { job, cleaning, close: () => ingester.close() };
}
