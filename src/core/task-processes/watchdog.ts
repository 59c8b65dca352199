import { parentPort, workerData } from "node:worker_threads";
import { TASK_CPU_GRACE_MS, TASK_WATCHDOG_INTERVAL_MS } from "../limits/service/processes.ts";
import { WATCHDOG_CPU_MS_MAX, WATCHDOG_TASK, type WatchdogData } from "./messages.ts";

// A thread in each child of `BudgetedProcess`. A task may block the main thread, which then notices neither a signal nor a closed
// channel, and it may use memory outside of the heap limit (V8 does when it compiles a regular expression). The watchdog kills the
// process when a task uses too much memory, or continues although the parent has exited or is blocked.

const { state, parentPid, rssMbMax } = workerData as WatchdogData;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

function watchTask(task: number): void {
  const endCpuMs = cpuMs() + Atomics.load(state, WATCHDOG_CPU_MS_MAX) + TASK_CPU_GRACE_MS;
  while (Atomics.load(state, WATCHDOG_TASK) === task) {
    Atomics.wait(state, WATCHDOG_TASK, task, TASK_WATCHDOG_INTERVAL_MS);
    const isOver = process.memoryUsage.rss() > rssMbMax * 1_048_576 || cpuMs() > endCpuMs;
    if (isOver || process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
  }
}

parentPort?.postMessage("watching");
for (;;) {
  Atomics.wait(state, WATCHDOG_TASK, 0);
  watchTask(Atomics.load(state, WATCHDOG_TASK));
}
