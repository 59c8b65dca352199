import { execFile } from "node:child_process";
import type { Logger } from "../../core/log/logger.ts";

/** The lowest one, which is above that of every process of the usual class. */
const REALTIME_PRIORITY = "1";

/**
 * Gives the main thread of this process Linux's real-time class (sched(7), SCHED_RR), by `chrt` of util-linux, and logs whether it
 * has it. It needs CAP_SYS_NICE, or a limit of real-time priorities (RLIMIT_RTPRIO) of at least 1. Threads and processes that the
 * main thread starts do not inherit it. A refusal is a warning where the priority is required. Never rejects: without it calls go on as
 * before.
 */
export async function becomeRealtime(isRequired: boolean, isFirst: boolean, log: Logger): Promise<void> {
  const refusal = await new Promise<string | undefined>((resolve) => {
    const args = ["--rr", "--reset-on-fork", "--pid", REALTIME_PRIORITY, String(process.pid)];
    execFile("chrt", args, (error, _, errors) => resolve(error === null ? undefined : errors.trim() || error.message));
  });
  if (refusal === undefined) {
    log[isFirst ? "info" : "debug"]("media worker has a real-time priority");
    return;
  }
  log[isFirst && isRequired ? "warn" : "debug"](
    { code: "realtime_refused", why: refusal },
    "the system refuses a real-time priority: the media worker keeps its usual one; allow it with LimitRTPRIO=1 (systemd), --ulimit rtprio=1 (Docker) or CAP_SYS_NICE, or set WORKER_REALTIME=false",
  );
}
