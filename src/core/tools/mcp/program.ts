import { exitWithParent } from "../../child-processes/parent-watchdog.ts";
import { systemClock } from "../../clock.ts";
import { GuardedHttp } from "../../network/guarded-http.ts";
import type { McpMessage, McpRequest } from "./messages.ts";
import { McpSessions } from "./sessions.ts";

// The program of the process of MCP clients: what servers say is read here, so that it delays no call. See `McpProcess`.

const [parentPid, allowLoopback] = process.argv.slice(2);
exitWithParent(Number(parentPid));
// The parent ends this process by closing the IPC channel.
for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
process.on("disconnect", () => process.exit(0));
// The library leaves promises to themselves that a server's connection rejects; the request has failed already.
process.on("unhandledRejection", () => {});

const sessions = new McpSessions({
  http: new GuardedHttp({ allowLoopback: allowLoopback === "true" }),
  clock: systemClock,
});
const aborts = new Map<number, AbortController>();

const send = (message: McpMessage): void => {
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
};

async function answered(id: number, work: (signal: AbortSignal) => Promise<McpMessage>): Promise<void> {
  const abort = new AbortController();
  aborts.set(id, abort);
  const message = await work(abort.signal);
  aborts.delete(id);
  if (!abort.signal.aborted) send(message);
}

process.on("message", (request: McpRequest) => {
  switch (request.kind) {
    case "list": {
      const { id, server, allowedTools } = request;
      void answered(id, async (signal) => {
        return { kind: "listed", id, outcome: await sessions.list(server, allowedTools, signal) };
      });
      return;
    }
    case "call": {
      const { id } = request;
      void answered(id, async (signal) => ({ kind: "called", id, outcome: await sessions.call(request, signal) }));
      return;
    }
    case "abort":
      aborts.get(request.id)?.abort();
      return;
    case "end":
      sessions.end(request.owner);
      return;
    case "ping":
      send({ kind: "pong" });
      return;
  }
});
send({ kind: "ready" });
