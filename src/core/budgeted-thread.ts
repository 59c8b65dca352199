import { Worker } from "node:worker_threads";
import type { ThreadModule } from "./child-module.ts";
import type { Clock } from "./clock.ts";
import { FairQueue } from "./fair-queue.ts";
import {
  THREAD_HEAP_MB_MAX,
  THREAD_RUN_MS_MAX,
  THREAD_START_CPU_MS,
  THREAD_TASKS_MAX,
  THREAD_TASKS_PER_ACCOUNT_MAX,
  THREAD_WAIT_MS_MAX,
} from "./schema-limits.ts";
import { cpuMsOf } from "./thread-cpu.ts";
import type { ThreadMessage } from "./thread-tasks.ts";

export const THREAD_OUTCOMES = ["answered", "over_budget", "refused", "failed"] as const;
/**
 * `over_budget`: it needed more CPU time or memory than it may, and its thread was replaced. `refused`: too many of its account's tasks
 * wait, or the machine gave the thread no processor in time. `failed`: a bug of ours.
 */
export type ThreadOutcome = (typeof THREAD_OUTCOMES)[number];

export type TaskResult<Answer> =
  | { outcome: "answered"; answer: Answer; cpuMs: number }
  | { outcome: Exclude<ThreadOutcome, "answered">; cpuMs: number };

export interface TaskOptions {
  /** Whose task it is: accounts share the thread fairly. */
  accountId: string;
  cpuMsMax: number;
  /** Nobody needs the answer any more. */
  signal?: AbortSignal;
}

export interface ThreadLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface BudgetedThreadOptions {
  /** What the log calls it. */
  name: string;
  /** The body of the thread, which calls `serveTasks`. */
  module: ThreadModule;
  clock: Clock;
  log: ThreadLog;
  /** Each task that somebody waited for is counted once. */
  count: (outcome: ThreadOutcome) => void;
}

interface Waiting<Task, Answer> extends TaskOptions {
  readonly task: Task;
  /** Settles the task; the first call counts. */
  readonly settle: (result: TaskResult<Answer>) => void;
}

interface Running<Task, Answer> extends Waiting<Task, Answer> {
  readonly startMs: number;
  readonly startCpuMs: number | undefined;
  cancelLook: () => void;
}

/**
 * One thread of this process that works on tasks of many accounts, one at a time, each within a budget of CPU time and memory. A task
 * that exceeds its budget is answered `over_budget`; its thread is terminated and replaced, whatever the task is at. `Task` and `Answer`
 * must survive a structured clone.
 */
export class BudgetedThread<Task, Answer> {
  readonly #options: BudgetedThreadOptions;
  readonly #queue = new FairQueue<Waiting<Task, Answer>>({
    itemsMax: THREAD_TASKS_MAX,
    itemsPerOwnerMax: THREAD_TASKS_PER_ACCOUNT_MAX,
  });
  #worker: Worker | undefined;
  #isReady = false;
  /** Its path below /proc. */
  #thread: string | undefined;
  #running: Running<Task, Answer> | undefined;
  #closed = false;

  constructor(options: BudgetedThreadOptions) {
    this.#options = options;
  }

  /** Starts the thread where none runs, so that the first task does not wait for it. */
  start(): void {
    if (this.#worker !== undefined || this.#closed) return;
    const { source, isCode } = this.#options.module;
    const worker = new Worker(source, {
      eval: isCode,
      execArgv: [],
      // Nothing of the service's configuration is of use there.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: THREAD_HEAP_MB_MAX, stackSizeMb: 2 },
    });
    this.#worker = worker;
    // The process may end though the thread waits for tasks.
    worker.unref();
    worker.on("message", (message: ThreadMessage<Answer>) => {
      if (this.#worker === worker) this.#onMessage(message);
    });
    worker.on("error", (error) => {
      if (this.#worker === worker) this.#onDeath(error);
    });
    worker.on("exit", () => {
      if (this.#worker === worker) this.#onDeath(undefined);
    });
  }

  /** Never rejects. A task whose signal aborts before its turn is `refused`. */
  run(task: Task, { accountId, cpuMsMax, signal }: TaskOptions): Promise<TaskResult<Answer>> {
    const { clock, count } = this.#options;
    return new Promise((resolve) => {
      let isSettled = false;
      const settle = (result: TaskResult<Answer>): void => {
        if (isSettled) return;
        isSettled = true;
        cancelTimeout();
        signal?.removeEventListener("abort", giveUp);
        // What nobody waits for any more says nothing about the thread.
        if (signal?.aborted !== true) count(result.outcome);
        resolve(result);
      };
      const waiting: Waiting<Task, Answer> = { task, accountId, cpuMsMax, settle };
      const refuse = (): void => settle({ outcome: "refused", cpuMs: 0 });
      const giveUp = (): void => {
        if (this.#queue.remove(accountId, waiting)) refuse();
      };
      const cancelTimeout = clock.after(THREAD_WAIT_MS_MAX, giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      if (this.#closed || signal?.aborted === true || !this.#queue.add(accountId, waiting)) refuse();
      else this.#next();
    });
  }

  /** Ends the thread; what waits is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    const worker = this.#worker;
    this.#end({ outcome: "refused", cpuMs: 0 });
    for (let waiting = this.#queue.take(); waiting !== undefined; waiting = this.#queue.take()) {
      waiting.settle({ outcome: "refused", cpuMs: 0 });
    }
    await worker?.terminate();
  }

  #next(): void {
    if (this.#running !== undefined || this.#queue.length === 0) return;
    this.start();
    if (!this.#isReady) return;
    const waiting = this.#queue.take();
    if (waiting === undefined) return;
    const startCpuMs = cpuMsOf(this.#thread);
    this.#running = { ...waiting, startMs: this.#options.clock.nowMs(), startCpuMs, cancelLook: () => {} };
    this.#lookIn(waiting.cpuMsMax);
    this.#worker?.postMessage(waiting.task);
  }

  /** CPU time has no timer: it cannot be over before as much time has passed, and then it is looked at. */
  #lookIn(delayMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    running.cancelLook = this.#options.clock.after(Math.max(1, delayMs), () => {
      if (this.#running !== running) return;
      const usedMs = this.#usedMs() ?? 0;
      const leftMs = running.startMs + THREAD_RUN_MS_MAX - this.#options.clock.nowMs();
      if (usedMs >= running.cpuMsMax) this.#replace({ outcome: "over_budget", cpuMs: usedMs });
      else if (leftMs <= 0) this.#replace({ outcome: "refused", cpuMs: usedMs });
      else this.#lookIn(Math.min(leftMs, running.cpuMsMax - usedMs));
    });
  }

  /** What the running task has used; by the wall clock where the system does not know about threads. */
  #usedMs(): number | undefined {
    const running = this.#running;
    if (running === undefined) return undefined;
    const cpuMs = cpuMsOf(this.#thread);
    return cpuMs === undefined || running.startCpuMs === undefined
      ? this.#options.clock.nowMs() - running.startMs
      : cpuMs - running.startCpuMs;
  }

  #onMessage(message: ThreadMessage<Answer>): void {
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#thread = message.thread;
    } else {
      const running = this.#running;
      const { cpuMs } = message;
      if (running === undefined) return;
      // A task may end between two looks, having used more than it may.
      if (cpuMs > running.cpuMsMax) this.#settle({ outcome: "over_budget", cpuMs }, cpuMs);
      else if (message.kind === "answer") {
        this.#settle({ outcome: "answered", answer: message.answer, cpuMs }, cpuMs);
      } else {
        const { name, log } = this.#options;
        log.error({ thread: name, code: message.code, fault: "bug" }, "a task failed in its thread");
        this.#settle({ outcome: "failed", cpuMs }, cpuMs);
      }
    }
    this.#next();
  }

  /** The thread ended by itself: with a task, because that took more memory than there is. */
  #onDeath(error: unknown): void {
    const { name, log } = this.#options;
    const isMemory = codeIn(error) === "ERR_WORKER_OUT_OF_MEMORY";
    if (!isMemory) log.error({ thread: name, code: codeIn(error) ?? "internal", fault: "bug" }, "a thread ended");
    if (this.#isReady) {
      this.#replace({ outcome: isMemory ? "over_budget" : "failed", cpuMs: this.#usedMs() ?? 0 });
      return;
    }
    // It cannot be started: what waits is told so, and the next task tries again.
    this.#end({ outcome: "failed", cpuMs: 0 });
    for (let waiting = this.#queue.take(); waiting !== undefined; waiting = this.#queue.take()) {
      waiting.settle({ outcome: "failed", cpuMs: 0 });
    }
  }

  /** The running task is over for this reason, and so is its thread; another one takes its place. */
  #replace(result: TaskResult<Answer>): void {
    const { name, log } = this.#options;
    const accountId = this.#running?.accountId;
    if (result.outcome !== "failed") {
      log.warn(
        { thread: name, accountId, outcome: result.outcome, cpuMs: Math.round(result.cpuMs) },
        "a thread was replaced",
      );
    }
    this.#end(result);
    this.start();
  }

  #end(result: TaskResult<Answer>): void {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#isReady = false;
    this.#thread = undefined;
    // It stops within its task; nothing of it is listened to any more.
    void worker?.terminate();
    this.#settle(result, result.cpuMs + THREAD_START_CPU_MS);
  }

  #settle(result: TaskResult<Answer>, chargedMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    running.cancelLook();
    this.#queue.charge(running.accountId, chargedMs);
    running.settle(result);
  }
}

/** One of Node's constants. */
const codeIn = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined;
