/** What `BudgetedProcess` asks of its child: one task at a time. */
export interface TaskRequest<Task> {
  task: Task;
  /** Far past it the child ends by itself. */
  cpuMsMax: number;
}

/** What the child says: first that it is ready, then one answer for each task, in order. */
export type TaskMessage<Answer> =
  | { kind: "ready" }
  /** `isFull`: it holds so much memory that another one should take its place. */
  | { kind: "answer"; answer: Answer; cpuMs: number; isFull: boolean }
  /** The task threw. Its message may quote what users wrote, so only the code is passed on. */
  | { kind: "failed"; code: string; cpuMs: number; isFull: boolean };

/** What the watch of the child is given: see task-watch.ts. */
export interface WatchdogData {
  /** By `WATCH_TASK` and `WATCH_CPU_MS_MAX`; shared. */
  state: Int32Array;
  /** The process that the child works for. */
  parentPid: number;
}

/** The number of the task that runs; 0 for none. */
export const WATCHDOG_TASK = 0;
/** The CPU time that it may use. */
export const WATCHDOG_CPU_MS_MAX = 1;
