/** Messages of `BudgetedProcess` to its child, one task at a time. */
export interface TaskRequest<Task> {
  task: Task;
  /** The CPU budget; far past it the child exits by itself. */
  cpuMsMax: number;
}

/** Messages of the child: first `ready`, then one answer for each task, in order. */
export type TaskMessage<Answer> =
  | { kind: "ready" }
  /** `isFull`: the child uses so much memory that it should be replaced. */
  | { kind: "answer"; answer: Answer; cpuMs: number; isFull: boolean }
  /** The task threw. The message may quote user data, so only the code is sent. */
  | { kind: "failed"; code: string; cpuMs: number; isFull: boolean };

/** The input of the watchdog thread: see watchdog.ts. */
export interface WatchdogData {
  /** Shared memory, indexed by `WATCH_TASK` and `WATCH_CPU_MS_MAX`. */
  state: Int32Array;
  /** The process id of the parent. */
  parentPid: number;
  /** All memory that a task may use. */
  rssMbMax: number;
}

/** The number of the running task; 0 for none. */
export const WATCHDOG_TASK = 0;
/** The CPU budget of the running task. */
export const WATCHDOG_CPU_MS_MAX = 1;
