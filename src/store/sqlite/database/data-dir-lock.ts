import { chmodSync, closeSync, openSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import type { Clock } from "../../../core/clock.ts";
import { addMs } from "../../../core/clocks.ts";
import { codeOf, unavailable } from "../../../core/errors.ts";
import { DATA_DIR_RETRY_MS } from "../../../core/limits/storage/storage.ts";
import { LOCK_FILE, openDataDir } from "../../data-dir/data-dir.ts";

/** A user who may read the file could lock it, too. */
const LOCK_MODE = 0o600;

/** An unreferenced handle is garbage-collected, and its lock released. */
const heldLocks = new Set<Libsql.Database>();

/**
 * Locks `dataDir` for this process until it ends in any way: two services on one directory would treat each other's
 * calls as lost. The lock is one of SQLite's own, which the kernel releases with the process. Throws `unavailable` when
 * another process holds it, and as `openDataDir` does.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  openDataDir(dataDir);
  const path = join(dataDir, LOCK_FILE);
  closeSync(openSync(path, "a", LOCK_MODE));
  // An earlier version created the file readable by all.
  chmodSync(path, LOCK_MODE);
  const file = new Libsql(path);
  try {
    file.exec("PRAGMA busy_timeout = 0");
    file.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    throw unavailable(`DATA_DIR ${JSON.stringify(dataDir)} is in use by another service`, error);
  }
  heldLocks.add(file);
  return {
    release: () => {
      heldLocks.delete(file);
      file.close();
    },
  };
}

/**
 * As `lockDataDir`, but waits up to `waitMs` for a process that is about to end. Rejects with what `lockDataDir`
 * throws.
 */
export async function lockDataDirWithin(waitMs: number, dataDir: string, clock: Clock): Promise<void> {
  for (const endMs = addMs(clock.nowMs(), waitMs); ; ) {
    try {
      lockDataDir(dataDir);
      return;
    } catch (error) {
      if (codeOf(error) !== "unavailable" || clock.nowMs() >= endMs) throw error;
    }
    await new Promise<void>((resolve) => {
      clock.after(DATA_DIR_RETRY_MS, resolve);
    });
  }
}
