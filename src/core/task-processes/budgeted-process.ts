import type { ChildExit } from "../child-processes/child-process.ts";
import type { Clock } from "../clock.ts";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../clocks.ts";
import { systemErrorCodeOf } from "../errors.ts";
import type { AccountId } from "../ids.ts";
import {
  RESTART_MS_MAX,
  RESTART_MS_MIN,
  TASK_PROCESS_START_CPU_MS,
  TASK_PROCESS_START_INTERVAL_MS,
  TASK_RUN_MS_MAX,
  TASK_WAIT_MS_MAX,
  TASKS_MAX,
  TASKS_PER_ACCOUNT_MAX,
} from "../limits/service/processes.ts";
import type { StartTaskChild, TaskChild } from "./child.ts";
import { cpuMsOf } from "./cpu-time.ts";
import { FairQueue } from "./fair-queue.ts";
import type { TaskMessage } from "./messages.ts";

export const TASK_OUTCOMES = ["answered", "over_budget", "refused", "failed"] as const;
/**
 * `over_budget`: the task exceeded its CPU time or memory, and its process was replaced. `refused`: too many tasks of its account
 * wait, the process got no CPU time in time, or no process can be started. `failed`: a bug of this service.
 */
export type TaskOutcome = (typeof TASK_OUTCOMES)[number];

export type TaskResult<Answer> =
  | { outcome: "answered"; answer: Answer; cpuMs: number }
  | { outcome: Exclude<TaskOutcome, "answered">; cpuMs: number };

export interface TaskOptions {
  /** The account of the task: accounts share the process fairly. */
  accountId: AccountId;
  cpuMsMax: number;
  /** Aborted when the answer is not needed any more. */
  signal?: AbortSignal;
  /** How long this task may wait for its turn, and run by the wall clock, in place of what others of the process may. */
  waitMsMax?: number;
  runMsMax?: number;
}

export interface TaskLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

export interface BudgetedProcessOptions {
  /** The name of the process in the log. */
  name: string;
  start: StartTaskChild;
  clock: Clock;
  log: TaskLog;
  /** Called once for each task that was not aborted. */
  count: (outcome: TaskOutcome) => void;
  /** How long a task may wait for its turn, and how long it may run by the wall clock; TASK_WAIT_MS_MAX and TASK_RUN_MS_MAX by default. */
  waitMsMax?: number;
  runMsMax?: number;
}

interface Waiting<Task, Answer> extends Pick<TaskOptions, "accountId" | "cpuMsMax"> {
  readonly task: Task;
  readonly runMsMax: number;
  /** Settles the task; further calls have no effect. */
  readonly settle: (result: TaskResult<Answer>) => void;
}

interface Running<Task, Answer> extends Waiting<Task, Answer> {
  readonly startMs: MonotonicMs;
  readonly startCpuMs: number | undefined;
  cancelBudgetCheck: () => void;
}

const REFUSED = { outcome: "refused", cpuMs: 0 } as const;

/**
 * A child process that runs tasks of many accounts, one at a time, each within a budget of CPU time and memory. When a task exceeds
 * its budget, its outcome is `over_budget` and the process is killed. The next process is started when that one has exited, so there
 * is never more than one. `Task` and `Answer` must be JSON values.
 */
export class BudgetedProcess<Task, Answer> {
  readonly #options: BudgetedProcessOptions;
  readonly #queue = new FairQueue<Waiting<Task, Answer>>({
    itemsMax: TASKS_MAX,
    itemsPerOwnerMax: TASKS_PER_ACCOUNT_MAX,
  });
  /** Set until the child has exited. */
  #child: TaskChild | undefined;
  #isReady = false;
  /** The child was killed; its messages are ignored. */
  #isEnding = false;
  #running: Running<Task, Answer> | undefined;
  #startedMs = monotonicMs(Number.NEGATIVE_INFINITY);
  /** Set while the next start is delayed. */
  #cancelStart: (() => void) | undefined;
  /** The last child could not be started, or exited without a task. */
  #cannotStart = false;
  #retryMs = RESTART_MS_MIN;
  #closed = false;
  #onClosed = (): void => {};

  constructor(options: BudgetedProcessOptions) {
    this.#options = options;
  }

  /** Starts the child if none runs, so that the first task does not wait for it. Never throws. */
  start(): void {
    if (this.#child !== undefined || this.#cancelStart !== undefined || this.#closed) return;
    const waitMs = elapsedMs(this.#options.clock.nowMs(), addMs(this.#startedMs, TASK_PROCESS_START_INTERVAL_MS));
    if (waitMs > 0) this.#startIn(waitMs);
    else this.#startNow();
  }

  /** Never rejects. A task whose signal aborts before its turn is `refused`. */
  run(task: Task, { accountId, cpuMsMax, signal, ...own }: TaskOptions): Promise<TaskResult<Answer>> {
    const { clock, count } = this.#options;
    const waitMsMax = own.waitMsMax ?? this.#options.waitMsMax ?? TASK_WAIT_MS_MAX;
    return new Promise((resolve) => {
      let isSettled = false;
      const settle = (result: TaskResult<Answer>): void => {
        if (isSettled) return;
        isSettled = true;
        cancelTimeout();
        signal?.removeEventListener("abort", giveUp);
        // An aborted task says nothing about the process.
        if (signal?.aborted !== true) count(result.outcome);
        resolve(result);
      };
      const { runMsMax = this.#options.runMsMax ?? TASK_RUN_MS_MAX } = own;
      const waiting: Waiting<Task, Answer> = { task, accountId, cpuMsMax, runMsMax, settle };
      const refuse = (): void => settle(REFUSED);
      const giveUp = (): void => {
        if (this.#queue.remove(accountId, waiting)) refuse();
      };
      const cancelTimeout = clock.after(waitMsMax, giveUp);
      signal?.addEventListener("abort", giveUp, { once: true });
      const isClosed = this.#closed || this.#cannotStart;
      if (isClosed || signal?.aborted === true || !this.#queue.add(accountId, waiting)) refuse();
      else this.#next();
    });
  }

  /** Ends the child and resolves when it has exited; waiting tasks are refused. */
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
        // The child runs `serveTasks`, which sends only these messages.
        onMessage: (message) => this.#onMessage(message as TaskMessage<Answer>),
        onExit: (exit, error) => this.#onExit(exit, error),
      });
    } catch (error) {
      this.#onStartFailed({ code: systemErrorCodeOf(error) ?? "internal" });
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

  /** There is no timer for CPU time: it is read after as much wall-clock time as the budget has left. */
  #checkBudgetIn(delayMs: number): void {
    const running = this.#running;
    if (running === undefined) return;
    const { runMsMax } = running;
    running.cancelBudgetCheck = this.#options.clock.after(Math.max(1, delayMs), () => {
      if (this.#running !== running) return;
      const usedMs = this.#usedMs(running);
      const leftMs = elapsedMs(this.#options.clock.nowMs(), addMs(running.startMs, runMsMax));
      if (usedMs >= running.cpuMsMax) this.#replace({ outcome: "over_budget", cpuMs: usedMs });
      else if (leftMs <= 0) this.#replace({ outcome: "refused", cpuMs: usedMs });
      else this.#checkBudgetIn(Math.min(leftMs, running.cpuMsMax - usedMs));
    });
  }

  /** The CPU time that a task has used; the wall-clock time on systems that do not report it. */
  #usedMs({ startMs, startCpuMs }: Running<Task, Answer>): number {
    const cpuMs = cpuMsOf(this.#child?.pid);
    return cpuMs === undefined || startCpuMs === undefined
      ? elapsedMs(startMs, this.#options.clock.nowMs())
      : cpuMs - startCpuMs;
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
      // A task may exceed its budget between two checks and end.
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

  /** Ends the running task with this outcome, and kills its process, which is replaced. */
  #replace(result: TaskResult<Answer>): void {
    this.#warn(result);
    this.#end(result);
  }

  #onExit(exit: ChildExit, error: Error | undefined): void {
    const { name, log } = this.#options;
    const running = this.#running;
    const wasReady = this.#isReady;
    const wasEnding = this.#isEnding;
    const usedMs = running === undefined ? 0 : elapsedMs(running.startMs, this.#options.clock.nowMs());
    this.#child = undefined;
    this.#isReady = false;
    this.#isEnding = false;
    if (this.#closed) {
      this.#onClosed();
      return;
    }
    if (!wasEnding && (!wasReady || running === undefined)) {
      this.#onStartFailed(error === undefined ? exit : { ...exit, code: systemErrorCodeOf(error) });
      return;
    }
    if (running !== undefined && exit.signal !== null) {
      // The watchdog or V8 ended the process because of its memory.
      const result = { outcome: "over_budget", cpuMs: usedMs } as const;
      this.#warn(result);
      this.#end(result);
    } else if (running !== undefined) {
      log.error({ tasks: name, ...exit, fault: "bug" }, "task process exited");
      this.#end({ outcome: "failed", cpuMs: usedMs });
    }
    this.start();
  }

  /** The child could not be started, or exited without a task. Waiting tasks are refused, and the start is retried later. */
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
