import { mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TrunklineError } from "../core/errors.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** One block of a file system: a full one refuses it. */
const PROBE_BYTES = 4_096;

/**
 * Makes the data directory, readable by its owner alone, where there is none, and writes a file into it to see that it can. Throws
 * TrunklineError `bad_configuration`, in one line with the variable, the path and what the system says, when it cannot be used.
 */
export function openDataDir(dataDir: string): void {
  try {
    makePrivateFolder(resolve(dataDir));
    const probe = join(dataDir, `.write-probe-${process.pid}`);
    try {
      writeFileSync(probe, new Uint8Array(PROBE_BYTES), { mode: FILE_MODE });
    } finally {
      rmSync(probe, { force: true });
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new TrunklineError(
      "bad_configuration",
      "caller",
      `DATA_DIR ${JSON.stringify(dataDir)} cannot be used: ${why}. It must be a folder that this user can write to`,
      { cause: error },
    );
  }
}

/**
 * Makes a folder, and those above it, readable by their owner alone; `path` is absolute. Throws what the system says. Not Node's
 * own `recursive`, which never returns below /proc (seen with Node 20): there `mkdir` says that the parent does not exist, though it
 * does.
 */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process made it at the same moment.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
