import type { Clock } from "../../core/clock.ts";
import { TrunklineError, unavailable } from "../../core/errors.ts";
import type { AccountId } from "../../core/ids.ts";
import {
  DOCUMENT_CPU_MS_MAX,
  DOCUMENT_RUN_MS_MAX,
  DOCUMENT_WAIT_MS_MAX,
  INGESTER_IDLE_MS_MAX,
} from "../../core/limits/knowledge/corpora.ts";
import type { Logger } from "../../core/log/logger.ts";
import { BudgetedProcess, type TaskOutcome } from "../../core/task-processes/budgeted-process.ts";
import type { StartTaskChild, TaskChild, TaskChildEvents } from "../../core/task-processes/child.ts";
import type { IngestAnswer, Ingester, IngestTask } from "../../knowledge/documents/ingester.ts";

export interface IngesterClientOptions {
  start: StartTaskChild;
  clock: Clock;
  log: Logger;
  count: (outcome: TaskOutcome) => void;
}

type Process = BudgetedProcess<IngestTask, IngestAnswer>;

/** Has documents read by a child process, which is started when there is one, and ended when there was none for a while. */
export class IngesterClient implements Ingester {
  readonly #options: IngesterClientOptions;
  #process: Process | undefined;
  #inProgress = 0;
  #isClosed = false;
  #cancelEnd = (): void => {};

  constructor(options: IngesterClientOptions) {
    this.#options = options;
  }

  async read(accountId: AccountId, task: IngestTask, signal: AbortSignal): Promise<IngestAnswer> {
    if (this.#isClosed) throw unavailable("the service stops");
    this.#cancelEnd();
    this.#inProgress += 1;
    try {
      const running = this.#started().run(task, { accountId, cpuMsMax: DOCUMENT_CPU_MS_MAX, signal });
      const result = await Promise.race([running, aborted(signal)]);
      if (result.outcome === "answered") return result.answer;
      signal.throwIfAborted();
      if (result.outcome === "over_budget")
        throw new TrunklineError("over_budget", "caller", "the document took too much processor time or memory");
      if (result.outcome === "failed")
        throw new TrunklineError("ingester_failed", "bug", "the process that reads documents failed");
      throw unavailable("no process reads documents at present");
    } finally {
      this.#inProgress -= 1;
      if (this.#inProgress === 0) this.#endWhenIdle();
    }
  }

  /** Ends the process; what is in progress is rejected with `unavailable`. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelEnd();
    await this.#process?.close();
  }

  #started(): Process {
    const { clock, log, count } = this.#options;
    this.#process ??= new BudgetedProcess<IngestTask, IngestAnswer>({
      name: "documents",
      start: (events) => this.#startChild(events),
      clock,
      log,
      count,
      waitMsMax: DOCUMENT_WAIT_MS_MAX,
      runMsMax: DOCUMENT_RUN_MS_MAX,
    });
    return this.#process;
  }

  #startChild(events: TaskChildEvents): TaskChild {
    const { start, log } = this.#options;
    const child = start({
      ...events,
      onMessage(message) {
        if (message.kind === "ready") log.info({ pid: child.pid }, "ingester started");
        events.onMessage(message);
      },
    });
    return child;
  }

  #endWhenIdle(): void {
    this.#cancelEnd = this.#options.clock.after(INGESTER_IDLE_MS_MAX, () => {
      const idle = this.#process;
      this.#process = undefined;
      void idle?.close();
    });
  }
}

/** Rejects with the abort's reason. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}
