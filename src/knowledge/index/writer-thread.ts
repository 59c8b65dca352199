import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { INDEX_COMPACT_DELAY_MS, INDEX_WRITER_NICE } from "../../core/limits/retrieval.ts";
import type { ChangeOutcome, IndexChange } from "./changes.ts";
import { IndexWriter } from "./index-writer.ts";

/** A request to the thread: a change with its number. */
export interface ChangeRequest {
  readonly id: number;
  readonly change: IndexChange;
}
/** The answer: what became of the change, or why it could not be made. */
export interface ChangeResponse {
  readonly id: number;
  readonly outcome?: ChangeOutcome;
  readonly problem?: string;
}
export interface WriterThreadData {
  readonly folder: string;
}

/**
 * A thread of the retrieval process that writes the files of corpora: the process itself answers questions meanwhile. Words are split
 * and reduced to stems here.
 */
const { folder } = workerData as WriterThreadData;
const writer = new IndexWriter(folder);
// On Linux a thread has a priority of its own.
setPriority(INDEX_WRITER_NICE);
let timer: NodeJS.Timeout | undefined;

function compactSoon(): void {
  clearTimeout(timer);
  timer = setTimeout(() => {
    try {
      if (writer.compactOne()) compactSoon();
    } catch {
      // A full disk, or a damaged file: the next change or question reports it.
    }
  }, INDEX_COMPACT_DELAY_MS);
}

parentPort?.on("message", ({ id, change }: ChangeRequest) => {
  let response: ChangeResponse;
  try {
    response = { id, outcome: writer.change(change) };
  } catch (error) {
    response = { id, problem: error instanceof Error ? error.message : String(error) };
  }
  parentPort?.postMessage(response);
  compactSoon();
});
