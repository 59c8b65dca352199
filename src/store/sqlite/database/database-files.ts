import { statSync } from "node:fs";
import { unavailable } from "../../../core/errors.ts";

/** SQLite writes to all three: what is in any of them alone is gone with it. */
const SUFFIXES = ["", "-wal", "-shm"];

/**
 * The files of an open SQLite database as they were when it was opened. SQLite keeps writing to files that were removed or replaced
 * under it, and reports no error: what it commits then is nowhere.
 */
export class DatabaseFiles {
  readonly #files: readonly { path: string; identity: string | undefined }[];

  /** `path` is that of a database in WAL mode that has been read from, so that its other two files are there. */
  constructor(path: string) {
    this.#files = SUFFIXES.map((suffix) => ({ path: path + suffix, identity: identityOf(path + suffix) }));
  }

  /** Another file, or none, stands where the open one was. Putting the same files back mends it. Costs three calls of `stat`. */
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
