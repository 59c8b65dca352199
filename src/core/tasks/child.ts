import { fork } from "node:child_process";
import type { ChildModule } from "../child-module.ts";
import { TASK_PROCESS_HEAP_MB_MAX } from "../limits/processes.ts";
import type { TaskMessage, TaskRequest } from "./messages.ts";

/** A child of `BudgetedProcess` that was started, as far as it can be reached. */
export interface TaskChild {
  readonly pid: number | undefined;
  /** What is sent to a child that is gone is lost. */
  send(request: TaskRequest<unknown>): void;
  /** As `kill -9` does. */
  kill(): void;
}

export interface ChildExit {
  exitCode: number | null;
  signal: string | null;
  /** Why it was never started, where it was not: one of the system's constants. */
  code?: string | undefined;
}

export interface TaskChildEvents {
  onMessage(message: TaskMessage<unknown>): void;
  /** Comes once, never before the child was returned, and nothing comes after it. */
  onExit(exit: ChildExit): void;
}

/** Throws, or ends it at once, where the system has no room for another process. */
export type StartTaskChild = (events: TaskChildEvents) => TaskChild;

/** Starts a module that calls `serveTasks`, without our environment, which holds keys of providers. */
export const forkTaskChild =
  ({ path, execArgv }: ChildModule): StartTaskChild =>
  ({ onMessage, onExit }) => {
    const child = fork(path, [], {
      execArgv: [...execArgv, `--max-old-space-size=${TASK_PROCESS_HEAP_MB_MAX}`, "--single-threaded"],
      env: {},
      // Where its heap is full, V8 writes pages about it.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // This process may end though the child waits for tasks.
    child.unref();
    child.channel?.unref();
    child.on("message", onMessage);
    child.once("exit", (exitCode, signal) => onExit({ exitCode, signal }));
    // Never started: no `exit` will follow. Any other error is of something sent to one that is about to exit.
    child.on("error", (error) => {
      if (child.pid === undefined) onExit({ exitCode: null, signal: null, code: systemCodeIn(error) });
    });
    return {
      pid: child.pid,
      send(request) {
        if (child.connected) child.send(request, () => {});
      },
      kill: () => void child.kill("SIGKILL"),
    };
  };

/** As `ENOMEM`. */
export const systemCodeIn = (error: unknown): string | undefined =>
  error instanceof Error && "code" in error ? String(error.code) : undefined;
