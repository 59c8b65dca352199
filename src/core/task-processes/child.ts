import { fork } from "node:child_process";
import type { ChildModule } from "../child-processes/child-module.ts";
import { type Child, type ChildEvents, childOf } from "../child-processes/child-process.ts";
import { TASK_PROCESS_HEAP_MB_MAX } from "../limits/service/processes.ts";
import type { TaskMessage, TaskRequest } from "./messages.ts";

/** A started child of `BudgetedProcess`. */
export type TaskChild = Child<TaskRequest<unknown>>;

export type TaskChildEvents = ChildEvents<TaskMessage<unknown>>;

/** Throws, or reports the exit at once, when the system cannot start another process. */
export type StartTaskChild = (events: TaskChildEvents) => TaskChild;

/**
 * Starts a module that calls `serveTasks`, without this process's environment, which contains API keys of providers. `heapMbMax` bounds
 * its JavaScript heap.
 */
export const forkTaskChild =
  ({ path, execArgv }: ChildModule, heapMbMax = TASK_PROCESS_HEAP_MB_MAX): StartTaskChild =>
  (events) => {
    const child = fork(path, [], {
      execArgv: [...execArgv, `--max-old-space-size=${heapMbMax}`, "--single-threaded"],
      env: {},
      // When its heap is full, V8 writes a long report.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // A waiting child does not keep this process alive.
    child.unref();
    child.channel?.unref();
    return childOf(child, events);
  };
