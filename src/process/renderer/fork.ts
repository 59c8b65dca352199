import { fork } from "node:child_process";
import { statSync } from "node:fs";
import { childModule } from "../../core/child-processes/child-module.ts";
import { childOf } from "../../core/child-processes/child-process.ts";
import type { CallId } from "../../core/ids.ts";
import { RENDERER_HEAP_MB_MAX } from "../../core/limits/storage/storage.ts";
import { journalPath } from "../../record/journal/reader.ts";
import type { StartRenderer } from "./client.ts";

/** Starts the renderer's program with `env` instead of this process's environment, which holds API keys of providers. */
export const forkRenderer =
  (dataDir: string, env: Readonly<Record<string, string>>): StartRenderer =>
  (events) => {
    const { path, execArgv } = childModule(import.meta.url, "../renderer");
    const child = fork(path, [dataDir, String(process.pid)], {
      execArgv: [...execArgv, `--max-old-space-size=${RENDERER_HEAP_MB_MAX}`],
      env: { ...env },
    });
    return childOf(child, events);
  };

/** The length of a call's journal in bytes; 0 for a call without a journal. */
export const journalBytesIn =
  (dataDir: string) =>
  (callId: CallId): number =>
    statSync(journalPath(dataDir, callId), { throwIfNoEntry: false })?.size ?? 0;
