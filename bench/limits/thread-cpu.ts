import { readFileSync } from "node:fs";

/**
 * CPU time of a Node process's loop until now, ms: its first thread's, as Linux counts it in ns (sched(7), `schedstat`). Throws where
 * there is no such count.
 */
export function threadCpuMs(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "latin1").split(" ")[0]) / 1e6;
}
