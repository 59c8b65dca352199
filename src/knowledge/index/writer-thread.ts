import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../../core/clock.ts";
import { codeOf, systemErrorCodeOf } from "../../core/errors.ts";
import { INDEX_WRITER_NICE } from "../../core/limits/knowledge/retrieval.ts";
import type { ChangeOutcome, IndexChange } from "./changes.ts";
import { Compactor } from "./compactor.ts";
import { IndexWriter } from "./index-writer.ts";

/** A request to the thread: a change with its number. */
export interface ChangeRequest {
  readonly id: number;
  readonly change: IndexChange;
}
/** The answer: what became of the change, or why it could not be made. */
export interface ChangeResponse {
  readonly kind: "change";
  readonly id: number;
  readonly outcome?: ChangeOutcome;
  readonly problem?: string;
}
/** Words of removed documents could not be overwritten, which is tried again. */
export interface CompactionFailed {
  readonly kind: "compaction-failed";
  readonly code: string;
}
export type ThreadMessage = ChangeResponse | CompactionFailed;
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
const compactor = new Compactor({
  writer,
  clock: systemClock,
  onFailed: (error) => send({ kind: "compaction-failed", code: systemErrorCodeOf(error) ?? codeOf(error) }),
});
compactor.changed();

parentPort?.on("message", ({ id, change }: ChangeRequest) => {
  let response: ChangeResponse;
  try {
    response = { kind: "change", id, outcome: writer.change(change) };
  } catch (error) {
    response = { kind: "change", id, problem: error instanceof Error ? error.message : String(error) };
  }
  send(response);
  compactor.changed();
});

function send(message: ThreadMessage): void {
  parentPort?.postMessage(message);
}
