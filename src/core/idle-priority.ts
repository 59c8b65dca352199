import { execFile } from "node:child_process";
import { getPriority, setPriority } from "node:os";

/**
 * Moves this process, or its main thread alone, below everything that calls need. Where there is `chrt` of util-linux, it is put into
 * Linux's class for programs that run where no other wants the processor (sched(7), SCHED_IDLE), with all that it starts: a media worker
 * that wakes up takes the processor from it at once, and from a process of the usual class, however high its nice(1) value, only at the
 * end of its slice, up to 4 ms later. Elsewhere its main thread has the nice(1) value. Needs no privilege, and cannot be undone. Never
 * rejects.
 */
export async function yieldToCalls(whose: "process" | "main thread", nice: number): Promise<void> {
  // Never raised: that needs a privilege.
  setPriority(Math.max(getPriority(), nice));
  const threads = whose === "process" ? ["--all-tasks"] : [];
  const args = ["--idle", ...threads, "--pid", "0", String(process.pid)];
  await new Promise<void>((resolve) => execFile("chrt", args, () => resolve()));
}
