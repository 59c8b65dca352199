import { readFileSync } from "node:fs";

/** CPU time that the main thread of a process has used, in ms: proc(5), `schedstat`. Undefined on systems that do not report it. */
export const cpuMsOf = (pid: number | undefined): number | undefined => scheduledMs(pid, 0);

/** How long the main thread of a process was ready to run and got no processor, in ms. Undefined on systems that do not report it. */
export const starvedMsOf = (pid: number | undefined): number | undefined => scheduledMs(pid, 1);

function scheduledMs(pid: number | undefined, field: 0 | 1): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const nanoseconds = readFileSync(`/proc/${pid}/schedstat`, "latin1").split(" ")[field];
    return Number(nanoseconds) / 1e6;
  } catch {
    return undefined;
  }
}
