import { availableParallelism } from "node:os";
import type { VariableReader } from "./variables/reader.ts";

/** Whether media workers take a real-time priority: never, where the system allows it, or with a warning where it does not. */
export type WorkerRealtime = "never" | "if_allowed" | "required";

export interface WorkerSettings {
  /** How many media workers there are, each a process; they share the media port. */
  workers: number;
  workerRealtime: WorkerRealtime;
}

const REALTIME_WORDS = ["auto", "true", "false"] as const;

/**
 * Reads WORKERS and WORKER_REALTIME. `auto` leaves at least one processor to what carries no calls: real-time workers on every processor
 * could keep it from all of them.
 */
export function readWorkers(
  reader: VariableReader,
  webrtcWorkers: number,
  processors = availableParallelism(),
): WorkerSettings {
  const realtime = reader.word("WORKER_REALTIME", REALTIME_WORDS);
  const workers = reader.integer("WORKERS", Math.max(1, processors - 1));
  if (realtime === "true") return { workers, workerRealtime: "required" };
  const leavesProcessor = workers + webrtcWorkers < processors;
  return { workers, workerRealtime: realtime === "auto" && leavesProcessor ? "if_allowed" : "never" };
}
