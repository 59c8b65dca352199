import { statSync } from "node:fs";
import { parentPort, workerData } from "node:worker_threads";
import { CHECKPOINT_MS } from "../../../core/limits/storage/storage.ts";
import type { CheckpointThreadData } from "./checkpoints.ts";
import { openDatabase } from "./database.ts";

/**
 * A thread that writes SQLite's write-ahead log back to the database, beside the connections that write to the log. It waits
 * for the disk several times as long as a commit does, and the event loop of the API must not. Any message ends it.
 */
const { path } = workerData as CheckpointThreadData;
const file = openDatabase(path);
let writtenBackMs = 0;

const timer = setInterval(() => {
  const { mtimeMs } = statSync(`${path}-wal`, { throwIfNoEntry: false }) ?? { mtimeMs: 0 };
  if (mtimeMs === writtenBackMs) return;
  try {
    // No thread waits for it.
    file.exec("PRAGMA wal_checkpoint(PASSIVE)");
    writtenBackMs = mtimeMs;
  } catch {
    // A full disk, or files that were removed: the connections that write report it.
  }
}, CHECKPOINT_MS);

parentPort?.once("message", () => {
  clearInterval(timer);
  file.close();
  process.exit();
});
