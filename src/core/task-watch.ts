import { parentPort, workerData } from "node:worker_threads";
import { CHILD_CPU_MS_GRACE, CHILD_RSS_MB_MAX, CHILD_WATCH_MS } from "./schema-limits.ts";
import { WATCH_CPU_MS_MAX, WATCH_TASK, type WatchData } from "./task-messages.ts";

// A thread in each child of `BudgetedProcess`. What a task does may hold the main thread where neither a signal handler nor a closed
// channel is noticed, and may use memory that no limit of the heap sees (V8 compiles a regular expression so): this ends the process
// by SIGKILL when a task takes too much memory, or runs on although the parent is gone or stands still.

const { state, parentPid } = workerData as WatchData;

const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

function watch(task: number): void {
  const endCpuMs = cpuMs() + Atomics.load(state, WATCH_CPU_MS_MAX) + CHILD_CPU_MS_GRACE;
  while (Atomics.load(state, WATCH_TASK) === task) {
    Atomics.wait(state, WATCH_TASK, task, CHILD_WATCH_MS);
    const isOver = process.memoryUsage.rss() > CHILD_RSS_MB_MAX * 1_048_576 || cpuMs() > endCpuMs;
    if (isOver || process.ppid !== parentPid) process.kill(process.pid, "SIGKILL");
  }
}

parentPort?.postMessage("watching");
for (;;) {
  Atomics.wait(state, WATCH_TASK, 0);
  watch(Atomics.load(state, WATCH_TASK));
}
