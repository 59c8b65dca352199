import { parentPort, workerData } from "node:worker_threads";
import { TASK_CPU_GRACE_MS, TASK_PROCESS_RSS_MB_MAX, TASK_WATCHDOG_INTERVAL_MS } from "../limits/processes.ts";
import { WATCHDOG_CPU_MS_MAX, WATCHDOG_TASK, type WatchdogData } from "./messages.ts";

// A thread in each child of `BudgetedProcess`. What a task does may hold the main thread where neither a signal handler nor a closed
// channel is noticed, and may use memory that no limit of the heap sees (V8 compiles a regular expression so): this ends the process
// by SIGKILL when a task takes too much memory, or runs on although the parent is gone or stands still.

const { state, parentPid } = workerData as WatchdogData;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

function watchTask(task: number): void {
  const endCpuMs = cpuMs() + Atomics.load(state, WATCHDOG_CPU_MS_MAX) + TASK_CPU_GRACE_MS;
  while (Atomics.load(state, WATCHDOG_TASK) === task) {
    Atomics.wait(state, WATCHDOG_TASK, task, TASK_WATCHDOG_INTERVAL_MS);
    const isOver = process.memoryUsage.rss() > TASK_PROCESS_RSS_MB_MAX * 1_048_576 || cpuMs() > endCpuMs;
    if (isOver || process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
  }
}

parentPort?.postMessage("watching");
for (;;) {
  Atomics.wait(state, WATCHDOG_TASK, 0);
  watchTask(Atomics.load(state, WATCHDOG_TASK));
}
