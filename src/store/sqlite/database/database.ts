import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import Libsql from "libsql";
import { BUSY_TIMEOUT_MS } from "./dialect.ts";

/** SQLite keeps two more files next to it, `-wal` and `-shm`. */
export const databasePath = (dataDir: string): string => join(dataDir, "trunkline.db");

/** Does not open an existing file: closing its descriptor would release SQLite's locks of this process on it. */
export function createDatabaseFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Opens the database with the settings that every connection of the service needs. Throws SQLite's errors. */
export function openDatabase(path: string): Libsql.Database {
  const file = new Libsql(path);
  file.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // It lets retention return freed space to the file system. It has an effect only before the first table, and waits for the lock of
  // writers also where it has none: another process may open the database meanwhile.
  if (isEmpty(file)) file.exec("PRAGMA auto_vacuum = INCREMENTAL");
  file.exec("PRAGMA journal_mode = WAL");
  // Committed data survives a power failure.
  file.exec("PRAGMA synchronous = FULL");
  file.exec("PRAGMA foreign_keys = ON");
  // Overwrites deleted data, without a guarantee: SQLite can leave copies when it moves rows between pages. With
  // hundreds of live calls, a part of about one removed call in two thousand was found until other data overwrote it.
  // Words that must not be on disk are therefore never written here.
  file.exec("PRAGMA secure_delete = ON");
  // The first read creates SQLite's other two files.
  file.exec("SELECT count(*) FROM sqlite_schema");
  return file;
}

const isEmpty = (file: Libsql.Database): boolean =>
  file.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").all().length === 0;
