import { setPriority } from "node:os";
import { parentPort } from "node:worker_threads";
import { codeOf } from "./errors.ts";
import { THREAD_NICE } from "./schema-limits.ts";
import { cpuMsOf, thisThread } from "./thread-cpu.ts";

/** What a thread says to `BudgetedThread`: first that it is ready, then one answer for each task, in order. */
export type ThreadMessage<Answer> =
  /** `thread` is its path below /proc, where there is one. */
  | { kind: "ready"; thread: string | undefined }
  | { kind: "answer"; answer: Answer; cpuMs: number }
  /** The task threw. Its message may quote what users wrote, so only the code is passed on. */
  | { kind: "failed"; code: string; cpuMs: number };

/** Makes this module the body of a thread that `BudgetedThread` runs: `answer` gets one task after the other. */
export function serveTasks<Task, Answer>(answer: (task: Task) => Answer): void {
  const port = parentPort;
  if (port === null) throw new Error("this module is the body of a thread");
  // On Linux this is the priority of the calling thread alone; elsewhere it would be that of the whole process.
  if (process.platform === "linux") setPriority(0, THREAD_NICE);
  const thread = thisThread();
  const cpuMs = (): number => cpuMsOf(thread) ?? performance.now();
  const send = (message: ThreadMessage<Answer>): void => port.postMessage(message);
  port.on("message", (task: Task) => {
    const startMs = cpuMs();
    try {
      const answered = answer(task);
      send({ kind: "answer", answer: answered, cpuMs: cpuMs() - startMs });
    } catch (error) {
      send({ kind: "failed", code: codeOf(error), cpuMs: cpuMs() - startMs });
    }
  });
  send({ kind: "ready", thread });
}
