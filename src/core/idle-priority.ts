import { execFile } from "node:child_process";
import { readlinkSync } from "node:fs";
import { getPriority, setPriority } from "node:os";
import { basename } from "node:path";

/** Every thread of the process; or the calling one, which is not the main one. */
type Whose = "process" | "thread";

/**
 * Moves this process, or the calling thread, below everything that calls need. Where there is `chrt` of util-linux, it is put into
 * Linux's class for programs that run where no other wants the processor (sched(7), SCHED_IDLE), with all that it starts: a media worker
 * that wakes up takes the processor from it at once, and from a process of the usual class, however high its nice(1) value, only at the
 * end of its slice, up to 4 ms later. Elsewhere it has the nice(1) value. Needs no privilege, and cannot be undone. Never rejects.
 */
export async function yieldToCalls(whose: Whose, nice: number): Promise<void> {
  // Never raised: that needs a privilege.
  setPriority(Math.max(getPriority(), nice));
  const which = whose === "process" ? ["--all-tasks", "--pid", "0", String(process.pid)] : ["--pid", "0", threadId()];
  await new Promise<void>((resolve) => execFile("chrt", ["--idle", ...which], () => resolve()));
}

/** The system's number of the calling thread; empty where there is no /proc. */
function threadId(): string {
  try {
    return basename(readlinkSync("/proc/thread-self"));
  } catch {
    return "";
  }
}
