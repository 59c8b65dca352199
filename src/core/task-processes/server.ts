import { once } from "node:events";
import { getPriority, setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { threadModule } from "../child-processes/child-module.ts";
import { codeOf } from "../errors.ts";
import {
  TASK_PROCESS_NICE,
  TASK_PROCESS_REPLACE_RSS_MB,
  TASK_PROCESS_RSS_MB_MAX,
} from "../limits/service/processes.ts";
import { cpuMsOf } from "./cpu-time.ts";
import {
  type TaskMessage,
  type TaskRequest,
  WATCHDOG_CPU_MS_MAX,
  WATCHDOG_TASK,
  type WatchdogData,
} from "./messages.ts";

/** The limits of a child; those of small tasks by default. */
export interface TaskProcessLimits {
  /** All memory that a task may use, and with how much between two tasks the child is replaced. */
  rssMbMax: number;
  replaceRssMb: number;
  /** The nice(1) value of its main thread. */
  nice: number;
}

const SMALL_TASKS: TaskProcessLimits = {
  rssMbMax: TASK_PROCESS_RSS_MB_MAX,
  replaceRssMb: TASK_PROCESS_REPLACE_RSS_MB,
  nice: TASK_PROCESS_NICE,
};

/**
 * Runs the tasks of a `BudgetedProcess` in its child: `answer` gets one task at a time. Resolves when the child is
 * ready. The child exits when its parent disconnects.
 */
export async function serveTasks<Task, Answer>(
  answer: (task: Task) => Answer | Promise<Answer>,
  { rssMbMax, replaceRssMb, nice }: TaskProcessLimits = SMALL_TASKS,
): Promise<void> {
  // The parent ends this process by closing the IPC channel.
  for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"]) process.on(signal, () => {});
  process.on("disconnect", () => process.exit(0));
  const state = await startWatchdog(rssMbMax);
  // The watchdog thread has started and keeps its priority: on Linux this call changes that of the main thread only. A
  // process that already has a lower priority keeps it, because raising one needs a privilege.
  setPriority(Math.max(getPriority(), nice));
  const cpuMs = (): number => cpuMsOf(process.pid) ?? performance.now();
  const send = (message: TaskMessage<Answer>): void => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };
  let tasks = 0;
  const run = async ({ task, cpuMsMax }: TaskRequest<Task>): Promise<void> => {
    const startMs = cpuMs();
    tasks += 1;
    Atomics.store(state, WATCHDOG_CPU_MS_MAX, cpuMsMax);
    setRunningTask(state, tasks);
    const message = await runTask(task, answer);
    setRunningTask(state, 0);
    const isFull = process.memoryUsage.rss() > replaceRssMb * 1_048_576;
    send({ ...message, cpuMs: cpuMs() - startMs, isFull });
  };
  process.on("message", (request: TaskRequest<Task>) => void run(request));
  send({ kind: "ready" });
  if (!process.connected) process.exit(0);
}

type Outcome<Answer> = { kind: "answer"; answer: Answer } | { kind: "failed"; code: string };

async function runTask<Task, Answer>(
  task: Task,
  answer: (task: Task) => Answer | Promise<Answer>,
): Promise<Outcome<Answer>> {
  try {
    return { kind: "answer", answer: await answer(task) };
  } catch (error) {
    return { kind: "failed", code: codeOf(error) };
  }
}

function setRunningTask(state: Int32Array, task: number): void {
  Atomics.store(state, WATCHDOG_TASK, task);
  Atomics.notify(state, WATCHDOG_TASK);
}

/** Resolves when the watchdog runs; the process exits if the watchdog fails. */
async function startWatchdog(rssMbMax: number): Promise<Int32Array> {
  const { source, isCode } = threadModule(import.meta.url, "./watchdog");
  const state = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const workerData: WatchdogData = { state, parentPid: process.ppid, rssMbMax };
  const watchdog = new Worker(source, { eval: isCode, execArgv: [], env: {}, workerData });
  await once(watchdog, "message");
  return state;
}
