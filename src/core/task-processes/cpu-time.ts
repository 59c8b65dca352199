import { readFileSync } from "node:fs";

/** CPU time that the main thread of a process has used, in ms: proc(5), `schedstat`. Undefined on systems that do not report it. */
export function cpuMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const [nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
