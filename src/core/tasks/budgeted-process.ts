import type { Clock } from "../clock.ts";
import {
  RESTART_MS_MAX,
  RESTART_MS_MIN,
  TASK_PROCESS_START_CPU_MS,
  TASK_PROCESS_START_INTERVAL_MS,
  TASK_RUN_MS_MAX,
  TASK_WAIT_MS_MAX,
  TASKS_MAX,
  TASKS_PER_ACCOUNT_MAX,
} from "../limits/processes.ts";
import { type ChildExit, type StartTaskChild, systemCodeIn, type TaskChild } from "./child.ts";
import { cpuMsOf } from "./cpu-time.ts";
import { FairQueue } from "./fair-queue.ts";
import type { TaskMessage } from "./messages.ts";

export const TASK_OUTCOMES = ["answered", "over_budget", "refused", "failed"] as const;
/**
 * `over_budget`: it needed more CPU time or memory than it may, and its process was replaced. `refused`: too many of its account's tasks
 * wait, the machine gave the process no processor in time, or none can be started. `failed`: a bug of ours.
 */
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

export type TaskResult<Answer> =
  | { outcome: "answered"; answer: Answer; cpuMs: number }
  | { outcome: Exclude<TaskOutcome, "answered">; cpuMs: number };

export interface TaskOptions {
  /** Whose task it is: accounts share the process fairly. */
  accountId: string;
  cpuMsMax: number;
  /** Nobody needs the answer any more. */
  signal?: AbortSignal;
}

export interface TaskLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface BudgetedProcessOptions {
  /** What the log calls it. */
  name: string;
  start: StartTaskChild;
  clock: Clock;
  log: TaskLog;
  /** Each task that somebody waited for is counted once. */
  count: (outcome: TaskOutcome) => void;
}

interface Waiting<Task, Answer> extends TaskOptions {
  readonly task: Task;
  /** Settles the task; the first call counts. */
  readonly settle: (result: TaskResult<Answer>) => void;
}

interface Running<Task, Answer> extends Waiting<Task, Answer> {
  readonly startMs: number;
  readonly startCpuMs: number | undefined;
  cancelBudgetCheck: () => void;
}

const REFUSED = { outcome: "refused", cpuMs: 0 } as const;

/**
 * One child of this process that works on tasks of many accounts, one at a time, each within a budget of CPU time and memory. A task
 * that exceeds its budget is answered `over_budget`; its process is killed, whatever the task is at, and the next one is started when
 * that is gone: there is never more than one. `Task` and `Answer` must survive JSON.
 */
export class BudgetedProcess<Task, Answer> {
  readonly #options: BudgetedProcessOptions;
  readonly #queue = new FairQueue<Waiting<Task, Answer>>({
    itemsMax: TASKS_MAX,
    itemsPerOwnerMax: TASKS_PER_ACCOUNT_MAX,
  });
  /** There is one until it is gone. */
  #child: TaskChild | undefined;
  #isReady = false;
  /** It was killed, and nothing of it is listened to any more. */
  #isEnding = false;
  #running: Running<Task, Answer> | undefined;
  #startedMs = Number.NEGATIVE_INFINITY;
  /** While none is started before a time. */
  #cancelStart: (() => void) | undefined;
  /** The last one could not be started, or ended without a task. */
  #cannotStart = false;
  #retryMs = RESTART_MS_MIN;
  #closed = false;
  #onClosed = (): void => {};

  constructor(options: BudgetedProcessOptions) {
    this.#options = options;
  }

  /** Starts the child where none runs, so that the first task does not wait for it. Never throws. */
  start(): void {
    if (this.#child !== undefined || this.#cancelStart !== undefined || this.#closed) return;
    const waitMs = this.#startedMs + TASK_PROCESS_START_INTERVAL_MS - this.#options.clock.nowMs();
    if (waitMs > 0) this.#startIn(waitMs);
    else this.#startNow();
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
        // What nobody waits for any more says nothing about the process.
        if (signal?.aborted !== true) count(result.outcome);
        resolve(result);
      };
      const waiting: Waiting<Task, Answer> = { task, accountId, cpuMsMax, settle };
      const refuse = (): void => settle(REFUSED);
      const giveUp = (): void => {
        if (this.#queue.remove(accountId, waiting)) refuse();
      };
      const cancelTimeout = clock.after(TASK_WAIT_MS_MAX, giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      const isClosed = this.#closed || this.#cannotStart;
      if (isClosed || signal?.aborted === true || !this.#queue.add(accountId, waiting)) refuse();
      else this.#next();
    });
  }

  /** Ends the child, and resolves when it is gone; what waits is refused. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelStart?.();
    this.#refuseWaiting();
    this.#end(REFUSED);
    if (this.#child === undefined) return;
    await new Promise<void>((resolve) => {
      this.#onClosed = resolve;
    });
  }

  #startIn(delayMs: number): void {
    this.#cancelStart = this.#options.clock.after(delayMs, () => {
      this.#cancelStart = undefined;
      this.#startNow();
    });
  }

  #startNow(): void {
    this.#startedMs = this.#options.clock.nowMs();
    try {
      this.#child = this.#options.start({
        // A child of ours: it sends what `serveTasks` says.
        onMessage: (message) => this.#onMessage(message as TaskMessage<Answer>),
        onExit: (exit) => this.#onExit(exit),
      });
    } catch (error) {
      this.#onStartFailed({ code: systemCodeIn(error) ?? "internal" });
    }
  }

  #next(): void {
    if (this.#running !== undefined || this.#queue.length === 0) return;
    this.start();
    if (!this.#isReady || this.#isEnding) return;
    const waiting = this.#queue.take();
    if (waiting === undefined) return;
    const startCpuMs = cpuMsOf(this.#child?.pid);
    this.#running = { ...waiting, startMs: this.#options.clock.nowMs(), startCpuMs, cancelBudgetCheck: () => {} };
    this.#checkBudgetIn(waiting.cpuMsMax);
    this.#child?.send({ task: waiting.task, cpuMsMax: waiting.cpuMsMax });
  }

  /** CPU time has no timer: it cannot be over before as much time has passed, and then it is looked at. */
  #checkBudgetIn(delayMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    running.cancelBudgetCheck = this.#options.clock.after(Math.max(1, delayMs), () => {
      if (this.#running !== running) return;
      const usedMs = this.#usedMs(running);
      const leftMs = running.startMs + TASK_RUN_MS_MAX - this.#options.clock.nowMs();
      if (usedMs >= running.cpuMsMax) this.#replace({ outcome: "over_budget", cpuMs: usedMs });
      else if (leftMs <= 0) this.#replace({ outcome: "refused", cpuMs: usedMs });
      else this.#checkBudgetIn(Math.min(leftMs, running.cpuMsMax - usedMs));
    });
  }

  /** What a task has used; by the wall clock where the system does not say. */
  #usedMs({ startMs, startCpuMs }: Running<Task, Answer>): number {
    const cpuMs = cpuMsOf(this.#child?.pid);
    return cpuMs === undefined || startCpuMs === undefined ? this.#options.clock.nowMs() - startMs : cpuMs - startCpuMs;
  }

  #onMessage(message: TaskMessage<Answer>): void {
    if (this.#isEnding) return;
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#cannotStart = false;
      this.#retryMs = RESTART_MS_MIN;
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
        log.error({ tasks: name, code: message.code, fault: "bug" }, "budgeted task failed");
        this.#settle({ outcome: "failed", cpuMs }, cpuMs);
      }
      if (message.isFull) this.#kill();
    }
    this.#next();
  }

  /** The running task is over for this reason, and so is its process; another one takes its place. */
  #replace(result: TaskResult<Answer>): void {
    this.#warn(result);
    this.#end(result);
  }

  #onExit(exit: ChildExit): void {
    const { name, log } = this.#options;
    const running = this.#running;
    const wasReady = this.#isReady;
    const wasEnding = this.#isEnding;
    const usedMs = running === undefined ? 0 : this.#options.clock.nowMs() - running.startMs;
    this.#child = undefined;
    this.#isReady = false;
    this.#isEnding = false;
    if (this.#closed) {
      this.#onClosed();
      return;
    }
    if (!wasEnding && (!wasReady || running === undefined)) {
      this.#onStartFailed(exit);
      return;
    }
    if (running !== undefined && exit.signal !== null) {
      // Its watch or V8 ended it: it took more memory than there is for it.
      const result = { outcome: "over_budget", cpuMs: usedMs } as const;
      this.#warn(result);
      this.#end(result);
    } else if (running !== undefined) {
      log.error({ tasks: name, ...exit, fault: "bug" }, "task process exited");
      this.#end({ outcome: "failed", cpuMs: usedMs });
    }
    this.start();
  }

  /** It cannot be started, or ended without a task: what waits is refused, and it is tried again later. */
  #onStartFailed(cause: object): void {
    const { name, log } = this.#options;
    const retryMs = this.#retryMs;
    log.error({ tasks: name, ...cause, retryMs }, "task process could not be started");
    this.#retryMs = Math.min(RESTART_MS_MAX, 2 * retryMs);
    this.#cannotStart = true;
    this.#startIn(retryMs);
    this.#refuseWaiting();
  }

  #refuseWaiting(): void {
    for (let waiting = this.#queue.take(); waiting !== undefined; waiting = this.#queue.take()) {
      waiting.settle(REFUSED);
    }
  }

  #warn({ outcome, cpuMs }: TaskResult<Answer>): void {
    const { name, log } = this.#options;
    const accountId = this.#running?.accountId;
    log.warn({ tasks: name, accountId, outcome, cpuMs: Math.round(cpuMs) }, "task process replaced");
  }

  #end(result: TaskResult<Answer>): void {
    this.#kill();
    this.#settle(result, result.cpuMs + TASK_PROCESS_START_CPU_MS);
  }

  #kill(): void {
    if (this.#child === undefined || this.#isEnding) return;
    this.#isEnding = true;
    this.#child.kill();
  }

  #settle(result: TaskResult<Answer>, chargedMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    this.#running = undefined;
    running.cancelBudgetCheck();
    this.#queue.charge(running.accountId, chargedMs);
    running.settle(result);
  }
}
