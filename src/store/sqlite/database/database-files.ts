import { statSync } from "node:fs";
import { unavailable } from "../../../core/errors.ts";

/** SQLite writes to all three; data may be in any one of them alone. */
const SUFFIXES = ["", "-wal", "-shm"];

/**
 * The files of an open SQLite database, as they were when it was opened. SQLite keeps writing to files that were
 * removed or replaced, and reports no error: what it commits then is lost.
 */
export class DatabaseFiles {
  readonly #files: readonly { path: string; identity: string | undefined }[];

  /** `path` is a database in WAL mode that has been read from, so that its other two files exist. */
  constructor(path: string) {
    this.#files = SUFFIXES.map((suffix) => ({ path: path + suffix, identity: identityOf(path + suffix) }));
  }

  /** Whether a file is missing or was replaced. Restoring the same files clears it. Costs three calls of `stat`. */
  get areLost(): boolean {
    return this.#files.some(({ path, identity }) => identityOf(path) !== identity);
  }

  /** Throws `unavailable` while the files are lost. */
  assertPresent(): void {
    if (this.areLost) throw unavailable("the database file was removed or replaced");
  }
}

/** The device and the inode of a file; undefined where there is none. */
function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}
