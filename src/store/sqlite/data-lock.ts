import { mkdirSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { unavailable } from "../../core/errors.ts";

/** A handle that nobody holds is collected, and its lock with it. */
const held = new Set<Libsql.Database>();

/**
 * Takes `dataDir` for this process alone, until it ends however it ends: two services on one directory would take each
 * other's calls for lost. The lock is one of SQLite's own, which the kernel frees with the process. Throws `unavailable` when
 * another process has it.
 */
export function lockDataDir(dataDir: string): { release(): void } {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const file = new Libsql(join(dataDir, "service.lock"));
  try {
    file.exec("PRAGMA busy_timeout = 0");
    file.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    file.close();
    throw unavailable(`DATA_DIR ${JSON.stringify(dataDir)} is in use by another service`, error);
  }
  held.add(file);
  return {
    release: () => {
      held.delete(file);
      file.close();
    },
  };
}
