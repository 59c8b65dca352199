import { fork } from "node:child_process";
import { childModule } from "../../child-processes/child-module.ts";
import { type Child, type ChildEvents, childOf } from "../../child-processes/child-process.ts";
import { MCP_PROCESS_HEAP_MB_MAX } from "../../limits/agents/tools.ts";
import type { McpMessage, McpRequest } from "./messages.ts";

/** Starts a process of MCP clients. Throws, or reports the exit at once, when the system cannot start another process. */
export type StartMcpProcess = (events: ChildEvents<McpMessage>) => Child<McpRequest>;

/** Without this process's environment, which contains API keys of providers. */
export const forkMcpProcess =
  (allowLoopback: boolean): StartMcpProcess =>
  (events) => {
    const { path, execArgv } = childModule(import.meta.url, "./program");
    const child = fork(path, [String(process.pid), String(allowLoopback)], {
      execArgv: [...execArgv, `--max-old-space-size=${MCP_PROCESS_HEAP_MB_MAX}`],
      env: {},
      // When its heap is full, V8 writes a long report.
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    // A waiting child does not keep this process alive.
    child.unref();
    child.channel?.unref();
    return childOf(child, events);
  };
