import { accessSync, chmodSync, constants, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TrunklineError } from "../../core/errors.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The mode bits of users other than the owner. */
const OTHERS = 0o077;
/** One block of a file system, which a full one refuses. */
const PROBE_BYTES = 4_096;

/** The file that a service locks: a data directory without it is new. */
export const LOCK_FILE = "service.lock";

/**
 * Files that the service opens at its start. One of another user, or a folder in its place, must not stop the start
 * halfway.
 */
const FILES = [LOCK_FILE, "token-keys.json", "trunkline.db"];
/** Files that hold prompts, words and keys. A restore from a backup may have changed their modes. */
const PRIVATE_FILES = [...FILES, "trunkline.db-wal", "trunkline.db-shm"];
/** The folder of the sockets; see src/store/handoff/socket-path.ts. */
export const RUN_FOLDER = "run";

/** The folder of the index of corpora, which is made again where it is missing. */
export const corporaFolder = (dataDir: string): string => join(dataDir, "corpora");

/**
 * Creates the data directory, readable by its owner alone, if it does not exist. Checks that it is writable by writing
 * a file, checks the service's files in it, and makes them unreadable for other users. Throws TrunklineError
 * `bad_configuration`, in one line with the variable, the path and the system's message, when the directory cannot be
 * used.
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
    for (const name of FILES) assertWritable(join(dataDir, name), false);
    assertWritable(join(dataDir, RUN_FOLDER), true);
    for (const name of PRIVATE_FILES) makePrivate(join(dataDir, name));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new TrunklineError(
      "bad_configuration",
      "caller",
      `DATA_DIR ${JSON.stringify(dataDir)} cannot be used: ${reason}. It must be a folder that this user can write to`,
      { cause: error },
    );
  }
}

/**
 * Throws where an existing path is not a writable file, or not a writable folder where one is required. Nothing is
 * opened, because closing any descriptor of a file releases the locks that this process has on it.
 */
function assertWritable(path: string, isFolderWanted: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  accessSync(path, constants.R_OK | constants.W_OK);
  if (isFolder(path) !== isFolderWanted) throw new Error(`${path} is ${isFolderWanted ? "no" : "a"} folder`);
}

/**
 * Whether users other than the owner may enter, list or change the data directory. Its mode is the operator's decision
 * and is not changed.
 */
export const isOpenToOthers = (dataDir: string): boolean => (modeOf(dataDir) & OTHERS) !== 0;

/** Only where necessary: a user who may write to another user's file may not change its mode. */
function makePrivate(path: string): void {
  if ((modeOf(path) & OTHERS) !== 0) chmodSync(path, FILE_MODE);
}

const modeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mode ?? 0;

/**
 * Creates a folder and its parents, readable by their owner alone; `path` is absolute. Throws the system's error.
 * Node's own `recursive` is not used because it never returns below /proc (seen with Node 20): there `mkdir` reports
 * that the parent does not exist, though it does.
 */
export function makePrivateFolder(path: string): void {
  if (isFolder(path)) return;
  if (dirname(path) !== path) makePrivateFolder(dirname(path));
  try {
    mkdirSync(path, { mode: FOLDER_MODE });
  } catch (error) {
    // Another process created it at the same time.
    if (!isFolder(path)) throw error;
  }
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
