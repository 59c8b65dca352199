import { fork } from "node:child_process";
import { childModule } from "../../core/child-processes/child-module.ts";
import { childOf } from "../../core/child-processes/child-process.ts";
import { TRANSCRIBER_HEAP_MB_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { StartTranscriber } from "./client.ts";

/**
 * Starts the transcriber's program. `env` has the settings and API keys of providers; `speechSocketPath` is that of the speech process,
 * empty where there is none.
 */
export const forkTranscriber =
  (env: Readonly<Record<string, string | undefined>>, speechSocketPath: string): StartTranscriber =>
  (events) => {
    const { path, execArgv } = childModule(import.meta.url, "../transcriber");
    const child = fork(path, [String(process.pid), speechSocketPath], {
      execArgv: [...execArgv, `--max-old-space-size=${TRANSCRIBER_HEAP_MB_MAX}`],
      env: { ...env },
    });
    return childOf(child, events);
  };
