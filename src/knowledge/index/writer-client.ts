import { Worker } from "node:worker_threads";
import type { ThreadModule } from "../../core/child-processes/child-module.ts";
import { threadModule } from "../../core/child-processes/child-module.ts";
import { unavailable } from "../../core/errors.ts";
import type { ChangeOutcome, IndexChange } from "./changes.ts";
import type { ChangeRequest, ThreadMessage, WriterThreadData } from "./writer-thread.ts";

/** Makes changes of the index. */
export interface IndexChanger {
  /** Resolves when the change is in the file. Rejects with `unavailable` where it could not be made, such as on a full disk. */
  change(change: IndexChange): Promise<ChangeOutcome>;
}

interface Waiting {
  resolve: (outcome: ChangeOutcome) => void;
  reject: (error: Error) => void;
}

export interface WriterThreadEvents {
  /** The thread has failed by a defect: the process must end. */
  readonly onFailed: (error: Error) => void;
  /** Words of removed documents could not be overwritten, with SQLite's or the system's code. It is tried again, and that may fail silently. */
  readonly onCompactionFailed: (code: string) => void;
}

/** The thread that writes the files of corpora. */
export class WriterThread implements IndexChanger {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #ids = 0;

  constructor(
    folder: string,
    { onFailed, onCompactionFailed }: WriterThreadEvents,
    module: ThreadModule = threadModule(import.meta.url, "./writer-thread"),
  ) {
    const workerData: WriterThreadData = { folder };
    this.#thread = new Worker(module.source, { eval: module.isCode, workerData });
    this.#thread.on("message", (message: ThreadMessage) => {
      if (message.kind === "compaction-failed") {
        onCompactionFailed(message.code);
        return;
      }
      const { id, outcome, problem } = message;
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (outcome !== undefined) waiting?.resolve(outcome);
      else waiting?.reject(unavailable(`the index could not be changed: ${problem}`));
    });
    this.#thread.on("error", onFailed);
  }

  change(change: IndexChange): Promise<ChangeOutcome> {
    this.#ids += 1;
    const request: ChangeRequest = { id: this.#ids, change };
    return new Promise((resolve, reject) => {
      this.#waiting.set(request.id, { resolve, reject });
      this.#thread.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.#thread.terminate();
  }
}
