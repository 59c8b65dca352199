import { Worker } from "node:worker_threads";
import type { ThreadModule } from "../../core/child-module.ts";
import { threadModule } from "../../core/child-module.ts";
import { unavailable } from "../../core/errors.ts";
import type { ChangeOutcome, IndexChange } from "./changes.ts";
import type { ChangeRequest, ChangeResponse, WriterThreadData } from "./writer-thread.ts";

/** Makes changes of the index. */
export interface IndexChanger {
  /** Resolves when the change is in the file. Rejects with `unavailable` where it could not be made, such as on a full disk. */
  change(change: IndexChange): Promise<ChangeOutcome>;
}

interface Waiting {
  resolve: (outcome: ChangeOutcome) => void;
  reject: (error: Error) => void;
}

/** The thread that writes the files of corpora. */
export class WriterThread implements IndexChanger {
  readonly #thread: Worker;
  readonly #waiting = new Map<number, Waiting>();
  #ids = 0;

  /** `onFailed` is called when the thread has failed by a defect: the process must end. */
  constructor(
    folder: string,
    onFailed: (error: Error) => void,
    module: ThreadModule = threadModule(import.meta.url, "./writer-thread"),
  ) {
    const workerData: WriterThreadData = { folder };
    this.#thread = new Worker(module.source, { eval: module.isCode, workerData });
    this.#thread.on("message", ({ id, outcome, problem }: ChangeResponse) => {
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
