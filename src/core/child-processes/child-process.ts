import type { ChildProcess, Serializable } from "node:child_process";

/** A started child process. */
export interface Child<Request> {
  /** Undefined when it could not be started. */
  readonly pid: number | undefined;
  /** Messages to a child that has exited are dropped. */
  send(request: Request): void;
  /** Sends SIGKILL. */
  kill(): void;
}

/** How a child exited: by itself with a code, or by a signal; both are null when it could not be started. */
export interface ChildExit {
  exitCode: number | null;
  signal: string | null;
}

/** What a child reports. `onExit` is called once, never before the child was returned, and it is the last event. */
export interface ChildEvents<Message> {
  onMessage(message: Message): void;
  /** `error`: why it could not be started. */
  onExit(exit: ChildExit, error?: Error): void;
}

/** Reports the events of a process that was forked just now. */
export function childOf<Request extends Serializable, Message>(
  child: ChildProcess,
  { onMessage, onExit }: ChildEvents<Message>,
): Child<Request> {
  child.on("message", onMessage);
  child.once("exit", (exitCode, signal) => onExit({ exitCode, signal }));
  // Without a pid the child was never started and no `exit` follows. Other errors concern messages to a child that is exiting.
  child.on("error", (error) => {
    if (child.pid === undefined) onExit({ exitCode: null, signal: null }, error);
  });
  return {
    pid: child.pid,
    send(request) {
      if (child.connected) child.send(request, () => {});
    },
    kill: () => void child.kill("SIGKILL"),
  };
}
