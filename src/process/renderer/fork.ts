import { fork } from "node:child_process";
import { statSync } from "node:fs";
import { childModule } from "../../core/child-module.ts";
import type { CallId } from "../../core/ids.ts";
import { RENDERER_HEAP_MB_MAX } from "../../core/limits/storage.ts";
import { journalPath } from "../../record/journal/reader.ts";
import type { StartRenderer } from "./client.ts";

/** Starts the renderer's program with `env` instead of this process's environment, which holds API keys of providers. */
export const forkRenderer =
  (dataDir: string, env: Readonly<Record<string, string>>): StartRenderer =>
  ({ onMessage, onExit }) => {
    const { path, execArgv } = childModule(import.meta.url, "../renderer");
    const child = fork(path, [dataDir, String(process.pid)], {
      execArgv: [...execArgv, `--max-old-space-size=${RENDERER_HEAP_MB_MAX}`],
      env: { ...env },
    });
    child.on("message", onMessage);
    child.once("exit", (exitCode, signal) => onExit({ exitCode, signal }));
    // Without a pid the child was never started and no `exit` follows. Other errors concern messages to a child that is exiting.
    child.on("error", () => {
      if (child.pid === undefined) onExit({ exitCode: null, signal: null });
    });
    return {
      pid: child.pid,
      send(request) {
        if (child.connected) child.send(request, () => {});
      },
      kill: () => void child.kill("SIGKILL"),
    };
  };

/** The length of a call's journal in bytes; 0 for a call without a journal. */
export const journalBytesIn =
  (dataDir: string) =>
  (callId: CallId): number =>
    statSync(journalPath(dataDir, callId), { throwIfNoEntry: false })?.size ?? 0;
