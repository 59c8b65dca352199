import { Worker } from "node:worker_threads";
import { threadModule } from "../../../core/child-processes/child-module.ts";

export interface CheckpointThreadData {
  path: string;
}

/** Starts a thread that writes the log of this open database back; the result ends it. */
export function checkpointsInThread(path: string): () => Promise<void> {
  const { source, isCode } = threadModule(import.meta.url, "./checkpoint-thread");
  const workerData: CheckpointThreadData = { path };
  const thread = new Worker(source, { eval: isCode, workerData });
  // Without it the connections write the log back themselves, when it is long.
  thread.on("error", () => {});
  thread.unref();
  const ended = new Promise<void>((resolve) => {
    thread.once("exit", () => resolve());
  });
  return async () => {
    thread.postMessage("close");
    await ended;
  };
}
