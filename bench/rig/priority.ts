import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";

const AUTOGROUPS = "/proc/sys/kernel/sched_autogroup_enabled";

/**
 * Runs the program in its arguments where no other process wants the processor: in Linux's class for such programs (sched(7),
 * SCHED_IDLE). A process that wakes up takes the processor from one of these at once, and from one of the usual class that has the
 * lowest priority up to 4 ms later, at the end of its slice.
 */
export const WHERE_IDLE: readonly string[] = ["chrt", "--idle", "0"];

/** Runs the program in its arguments below the media workers, and before the control process. */
export const BELOW_WORKERS: readonly string[] = ["nice", "-n", "5"];

/**
 * Does work of this process, such as requests that would come from other machines, where no other process wants the processor. Processes
 * that it starts meanwhile are there, too, and stay. Throws where the process could not leave the class afterwards, which needs a
 * privilege.
 */
export async function whereIdle<T>(work: () => Promise<T>): Promise<T> {
  const move = (policy: "--idle" | "--other"): void => {
    const { status, stderr } = spawnSync("chrt", [policy, "--all-tasks", "--pid", "0", String(process.pid)]);
    if (status !== 0) throw new Error(`chrt ${policy}: ${stderr}`);
  };
  if (spawnSync("chrt", ["--idle", "0", "chrt", "--other", "0", "true"]).status !== 0)
    throw new Error("this process may not leave the class SCHED_IDLE again: run the proof as root");
  move("--idle");
  try {
    return await work();
  } finally {
    move("--other");
  }
}

/** Whether a process may take a real-time priority here. */
export const isRealtimeAllowed = (): boolean => spawnSync("chrt", ["--rr", "1", "true"]).status === 0;

/** As a service runs in a container or as a unit of systemd, where Linux does not share processors between sessions first. */
export async function withoutSessionsFirst<T>(work: () => Promise<T>): Promise<T> {
  const before = setAutogroups("0");
  try {
    return await work();
  } finally {
    if (before !== undefined) setAutogroups(before);
  }
}

/** The value before; undefined where it cannot be set. */
function setAutogroups(value: string): string | undefined {
  try {
    const before = readFileSync(AUTOGROUPS, "utf8");
    writeFileSync(AUTOGROUPS, value);
    return before;
  } catch {
    return undefined;
  }
}

/** Lowers a process that may have ended. */
export function lower(pid: number, nice: number): void {
  try {
    setPriority(pid, nice);
  } catch {
    // It has ended.
  }
}
