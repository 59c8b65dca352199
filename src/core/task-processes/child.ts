import { fork } from "node:child_process";
import type { ChildModule } from "../child-module.ts";
import { systemErrorCodeOf } from "../errors.ts";
import { TASK_PROCESS_HEAP_MB_MAX } from "../limits/processes.ts";
import type { TaskMessage, TaskRequest } from "./messages.ts";

/** A started child of `BudgetedProcess`. */
export interface TaskChild {
  readonly pid: number | undefined;
  /** Messages to a child that has exited are dropped. */
  send(request: TaskRequest<unknown>): void;
  /** Sends SIGKILL. */
  kill(): void;
}

export interface ChildExit {
  exitCode: number | null;
  signal: string | null;
  /** The error code of the system when the child could not be started. */
  code?: string | undefined;
}

export interface TaskChildEvents {
  onMessage(message: TaskMessage<unknown>): void;
  /** Called once, never before the child was returned, and it is the last event. */
  onExit(exit: ChildExit): void;
}

/** Throws, or reports the exit at once, when the system cannot start another process. */
export type StartTaskChild = (events: TaskChildEvents) => TaskChild;

/** Starts a module that calls `serveTasks`, without this process's environment, which contains API keys of providers. */
export const forkTaskChild =
  ({ path, execArgv }: ChildModule): StartTaskChild =>
  ({ onMessage, onExit }) => {
    const child = fork(path, [], {
      execArgv: [...execArgv, `--max-old-space-size=${TASK_PROCESS_HEAP_MB_MAX}`, "--single-threaded"],
      env: {},
      // When its heap is full, V8 writes a long report.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // A waiting child does not keep this process alive.
    child.unref();
    child.channel?.unref();
    child.on("message", onMessage);
    child.once("exit", (exitCode, signal) => onExit({ exitCode, signal }));
    // Without a pid the child was never started and no `exit` follows. Other errors concern messages to a child that is exiting.
    child.on("error", (error) => {
      if (child.pid === undefined) onExit({ exitCode: null, signal: null, code: systemErrorCodeOf(error) });
    });
    return {
      pid: child.pid,
      send(request) {
        if (child.connected) child.send(request, () => {});
      },
      kill: () => void child.kill("SIGKILL"),
    };
  };
