import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { childModule } from "../../core/child-module.ts";
import type { ToChild } from "../channel/protocol.ts";
import type { StartChild } from "./supervised-process.ts";

/** Starts the program of a child process of the supervisor. */
export const forkChild: StartChild = (kind, { onMessage, onExit }) => {
  const { path, execArgv } = childModule(import.meta.url, `../${kind}`);
  const child = fork(path, { execArgv });
  /** Passed to `send`, and not sent yet: Node neither sends nor closes them when the child dies. */
  const unsent = new Set<Socket>();
  child.on("message", onMessage);
  child.once("exit", (exitCode, signal) => {
    for (const connection of unsent) connection.destroy();
    onExit({ exitCode, signal });
  });
  // Without a pid the child was never started and no `exit` follows. Other errors concern messages to a child that is exiting.
  child.on("error", () => {
    if (child.pid === undefined) onExit({ exitCode: null, signal: null });
  });
  return {
    pid: child.pid,
    send(message) {
      if (child.connected) child.send(message, () => {});
    },
    sendConnection(connection) {
      if (!child.connected) {
        connection.destroy();
        return;
      }
      unsent.add(connection);
      child.send({ kind: "connection" } satisfies ToChild, connection, () => unsent.delete(connection));
    },
    kill: () => void child.kill("SIGKILL"),
  };
};
