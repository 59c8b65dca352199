import { readFileSync, readlinkSync } from "node:fs";

/** The calling thread by its path below /proc, as every thread of the process can read it; undefined elsewhere than on Linux. */
export function thisThread(): string | undefined {
  try {
    return readlinkSync("/proc/thread-self");
  } catch {
    return undefined;
  }
}

/** CPU time that a thread has used, in ms: proc(5), `schedstat`. Undefined where the system does not say. */
export function cpuMsOf(thread: string | undefined): number | undefined {
  if (thread === undefined) return undefined;
  try {
    const [nanoseconds] = readFileSync(`/proc/${thread}/schedstat`, "latin1").split(" ");
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
