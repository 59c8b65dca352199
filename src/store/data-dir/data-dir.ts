import { accessSync, chmodSync, constants, lstatSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { TrunklineError } from "../../core/errors.ts";

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
/** The bits of a mode that are of others than the owner. */
const OTHERS = 0o077;
/** One block of a file system: a full one refuses it. */
const PROBE_BYTES = 4_096;

/** Files that the service opens at its start: one that another user left, or a folder in its place, must not stop it halfway. */
const FILES = ["service.lock", "token-keys.json", "trunkline.db"];
/** They hold prompts, words and keys: whoever restores them from a backup may forget their modes. */
const PRIVATE_FILES = [...FILES, "trunkline.db-wal", "trunkline.db-shm"];
/** Of sockets; see control-socket.ts. */
export const RUN_FOLDER = "run";

/**
 * Makes the data directory, readable by its owner alone, where there is none, writes a file into it to see that it can, and looks at
 * those of the service's files that are there, which others may not read from then on. Throws
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
    for (const name of FILES) assertWritable(join(dataDir, name), false);
    assertWritable(join(dataDir, RUN_FOLDER), true);
    for (const name of PRIVATE_FILES) makePrivate(join(dataDir, name));
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
 * Throws where something that is no writable file, or no writable folder where one is wanted, is there. Nothing is opened: closing any
 * descriptor of a file frees the locks that this process has on it.
 */
function assertWritable(path: string, isFolderWanted: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  accessSync(path, constants.R_OK | constants.W_OK);
  if (isFolder(path) !== isFolderWanted) throw new Error(`${path} is ${isFolderWanted ? "no" : "a"} folder`);
}

/** Whether others than its owner may enter the data directory, or list or change it. It is the operator's, and left as it is. */
export const isOpenToOthers = (dataDir: string): boolean => (modeOf(dataDir) & OTHERS) !== 0;

/** Only where it must be: who may write to a file of somebody else may not change its mode. */
function makePrivate(path: string): void {
  if ((modeOf(path) & OTHERS) !== 0) chmodSync(path, FILE_MODE);
}

const modeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mode ?? 0;

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
