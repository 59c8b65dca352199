import { Worker } from "node:worker_threads";

/** How often a child checks that its parent lives. */
const CHECK_INTERVAL_MS = 1_000;

/** Plain JavaScript, so that the thread runs before any module is loaded. It kills the process, because a blocked main thread cannot exit. */
const WATCHDOG_SOURCE = `
const { workerData: { parentPid, intervalMs } } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
}, intervalMs);
`;

/**
 * Ends this process within a second after its parent has died, also while its own event loop is blocked and does not notice that
 * the IPC channel has closed.
 */
export function exitWithParent(parentPid: number): void {
  // Without module hooks: those of tsx would wait for the blocked main thread.
  new Worker(WATCHDOG_SOURCE, {
    eval: true,
    execArgv: [],
    workerData: { parentPid, intervalMs: CHECK_INTERVAL_MS },
  }).unref();
}
