import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { readLoaderEnvironment, readWorkerEnvironment } from "../../config/environment.ts";
import { childModule } from "../../core/child-processes/child-module.ts";
import { childOf } from "../../core/child-processes/child-process.ts";
import type { ToChild } from "../channel/protocol.ts";
import type { StartChild } from "./supervised-process.ts";

/** What a child gets instead of this process's environment: no more secrets than it needs. */
const ENVIRONMENTS = {
  speech: readLoaderEnvironment,
  retrieval: readLoaderEnvironment,
  worker: readWorkerEnvironment,
} as const;

/** Starts the program of a child process of the supervisor. */
export const forkChild: StartChild = (kind, { onMessage, onExit }) => {
  const { path, execArgv } = childModule(import.meta.url, `../${kind}`);
  const child = fork(path, { execArgv, ...(kind !== "control" && { env: ENVIRONMENTS[kind]() }) });
  /** Passed to `send`, and not sent yet: Node neither sends nor closes them when the child dies. */
  const unsent = new Set<Socket>();
  const started = childOf<ToChild, Parameters<typeof onMessage>[0]>(child, {
    onMessage,
    onExit: (exit) => {
      for (const connection of unsent) connection.destroy();
      onExit(exit);
    },
  });
  return {
    ...started,
    sendConnection(connection) {
      if (!child.connected) {
        connection.destroy();
        return;
      }
      unsent.add(connection);
      child.send({ kind: "connection" } satisfies ToChild, connection, () => unsent.delete(connection));
    },
  };
};
