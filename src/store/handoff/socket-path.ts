import { randomBytes } from "node:crypto";
import { chmodSync, closeSync, constants, existsSync, openSync, readdirSync, rmSync } from "node:fs";
import type { Socket } from "node:net";
import { basename, dirname, join, relative, resolve } from "node:path";
import { processStat } from "../../core/child-processes/process-stat.ts";
import { systemErrorCodeOf, unavailable } from "../../core/errors.ts";
import { LOCK_FILE, makePrivateFolder, RUN_FOLDER } from "../data-dir/data-dir.ts";

const FOLDER_MODE = 0o700;
const SOCKET_NAME = /^control-[0-9a-f]+\.sock$/;
/** With the id of the process at the end of its tag. */
const WORKER_SOCKET_NAME = /^worker-[0-9a-f]{8}([0-9a-f]{8})\.sock$/;
/**
 * The longest socket path that every system accepts: `sun_path` holds 108 bytes on Linux and 104 on macOS, with the
 * final zero.
 */
const SOCKET_PATH_BYTES_MAX = 103;

/**
 * A path in the data directory for the socket of the control process, of the speech process or of the retrieval process, to which the workers of one service
 * connect. It differs at
 * each start of the service: workers of a second service on the same directory, which is refused, never reach the first
 * one.
 */
export const newSocketPath = (dataDir: string, process: "control" | "speech" | "retrieval" = "control"): string =>
  join(dataDir, RUN_FOLDER, `${process}-${randomBytes(4).toString("hex")}.sock`);

/**
 * The name of this worker among those of all services that use a data directory, now and before: 16 hexadecimal digits. In a cluster the
 * first of them are those of its node.
 */
export const newWorkerTag = (nodeTag = ""): string =>
  nodeTag + randomBytes(4).toString("hex").slice(nodeTag.length) + process.pid.toString(16).padStart(8, "0");

/** The path for the socket of the worker with this tag, beside that of its control process. */
export const workerSocketPath = (controlPath: string, workerTag: string): string =>
  join(dirname(controlPath), `worker-${workerTag}.sock`);

/** Whether the worker of this socket is gone; those of a service that was killed finish their calls. */
function isOfGoneWorker(name: string): boolean {
  const [, pid] = WORKER_SOCKET_NAME.exec(name) ?? [];
  if (pid === undefined) return false;
  try {
    process.kill(Number.parseInt(pid, 16), 0);
    return isZombie(Number.parseInt(pid, 16));
  } catch (error) {
    return systemErrorCodeOf(error) === "ESRCH";
  }
}

/** Whether a process has exited, and its parent has not asked how, as in a container without an init process. */
function isZombie(pid: number): boolean {
  if (process.platform !== "linux") return false;
  try {
    return processStat(pid)[0] === "Z";
  } catch {
    return false;
  }
}

/**
 * Whether no worker of an earlier service on this data directory lives: those that were killed have left their sockets. False where an
 * earlier service has left none, which says nothing: the folder may have been deleted.
 */
export function earlierWorkersAreGone(dataDir: string): boolean {
  if (!existsSync(join(dataDir, LOCK_FILE))) return true;
  try {
    const sockets = readdirSync(join(dataDir, RUN_FOLDER)).filter((name) => WORKER_SOCKET_NAME.test(name));
    return sockets.length > 0 && sockets.every(isOfGoneWorker);
  } catch {
    return false;
  }
}

/**
 * The socket in a data directory, of the service that uses it now; undefined where there is none, or several and the
 * right one is unknown.
 */
export function findSocket(dataDir: string): string | undefined {
  const folder = join(dataDir, RUN_FOLDER);
  try {
    const [name, ...others] = readdirSync(folder).filter((entry) => SOCKET_NAME.test(entry));
    return name === undefined || others.length > 0 ? undefined : join(folder, name);
  } catch {
    // The folder was deleted; the control process creates it again.
    return undefined;
  }
}

/**
 * Creates the socket's folder, for its owner alone, and removes sockets that killed processes left in it. Only the
 * holder of the data directory's lock may call this. Throws the system's error.
 */
export function clearSocketFolder(path: string): void {
  const folder = dirname(path);
  makePrivateFolder(resolve(folder));
  chmodSync(folder, FOLDER_MODE);
  for (const name of readdirSync(folder).filter(
    (name) => SOCKET_NAME.test(name) || name === basename(path) || isOfGoneWorker(name),
  )) {
    rmSync(join(folder, name), { force: true });
  }
}

/**
 * Creates the folder of the socket of the speech or the retrieval process, for its owner alone, and removes the socket of one that was killed. Throws the
 * system's error.
 */
export function prepareSocket(path: string): void {
  makePrivateFolder(resolve(dirname(path)));
  rmSync(path, { force: true });
}

/**
 * Calls `use` with a path to the same socket that is short enough for the system: `path`, one relative to the working
 * directory, or, on Linux, one through a descriptor of its folder. The last is valid until `use` returns; by then the
 * socket must be bound or connected, which Node does synchronously. Throws the errors of `use` and of the system, and
 * `unavailable` where no path is short enough.
 */
export function withShortPath<Result>(path: string, use: (shortPath: string) => Result): Result {
  const short = [path, relative("", path)].find((candidate) => Buffer.byteLength(candidate) <= SOCKET_PATH_BYTES_MAX);
  if (short !== undefined) return use(short);
  if (process.platform !== "linux") {
    throw unavailable(
      `DATA_DIR is too long for a socket in it: ${JSON.stringify(path)} must have at most ${SOCKET_PATH_BYTES_MAX} bytes, also as seen from the working directory`,
    );
  }
  const folder = openSync(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return use(`/proc/self/fd/${folder}/${basename(path)}`);
  } finally {
    closeSync(folder);
  }
}

/** Connects a socket to `path`. It throws the system's error, or the socket emits it. */
export const connectorTo =
  (path: string): ((socket: Socket) => void) =>
  (socket) =>
    withShortPath(path, (shortPath) => void socket.connect(shortPath));
