import { Worker } from "node:worker_threads";

/** How often a child looks whether its parent lives. */
const CHECK_INTERVAL_MS = 1_000;

/** Runs as it stands, so that it is there before any code has to be loaded. It kills: the thread that stands still cannot exit. */
const WATCHDOG_SOURCE = `
const { workerData: { parentPid, lookMs } } = require("node:worker_threads");
setInterval(() => {
  if (process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
}, lookMs);
`;

/**
 * Ends this process within a second after its parent has died, also while its own loop stands still, where the channel that the
 * parent's death has closed is not heard of.
 */
export function exitWithParent(parentPid: number): void {
  // No module hooks: tsx's would wait for the thread that stands still.
  new Worker(WATCHDOG_SOURCE, {
    eval: true,
    execArgv: [],
    workerData: { parentPid, lookMs: CHECK_INTERVAL_MS },
  }).unref();
}
