import type { Registry } from "prom-client";
import { THREAD_OUTCOMES, type ThreadOutcome } from "./budgeted-thread.ts";
import { counter } from "./metrics-kit.ts";

/** The threads of a process that work on what users wrote: see budgeted-thread.ts. */
export const THREADS = ["schemas", "reference_llm"] as const;
export type ThreadName = (typeof THREADS)[number];

/** Counts the tasks of the threads of one process by their outcome. */
export function threadTaskCounter(registry: Registry): (thread: ThreadName, outcome: ThreadOutcome) => void {
  const help = "Tasks of threads that work on what users wrote, by their outcome.";
  const tasks = counter(registry, "thread_tasks_total", help, ["thread", "outcome"]);
  // What has not happened yet is told as 0, so that its first time is seen as an increase.
  for (const outcome of THREAD_OUTCOMES) for (const thread of THREADS) tasks.inc({ thread, outcome }, 0);
  return (thread, outcome) => tasks.inc({ thread, outcome });
}
