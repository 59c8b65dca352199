import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The level of a warning in the service's log; failures have higher ones. */
const WARN_LEVEL = 40;

/**
 * Why the local STT of a service failed last, as its log in `dataDir` says; undefined where the log has no such line. A file of the
 * model that is not what it should be is found only when a process loads it, after the service has started.
 */
export function localSttFailure(dataDir: string): string | undefined {
  const failures = readFileSync(join(dataDir, "service.log"), "utf8")
    .split("\n")
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line) as LogLine] : []))
    .filter(({ level, process }) => process === "speech" && level >= WARN_LEVEL);
  const last = failures.at(-1);
  return last === undefined ? undefined : `The local STT cannot run: ${last.detail ?? last.msg}.`;
}

/** The members of a log line that are used. */
interface LogLine {
  level: number;
  process: string;
  msg: string;
  detail?: string;
}
