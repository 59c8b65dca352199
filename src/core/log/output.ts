import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { LOG_EXIT_MS_MAX, LOG_PENDING_BYTES_MAX, LOG_RETRY_MS } from "../limits/processes.ts";

/** Writes some of `bytes`, at least one, and returns how many. Throws EAGAIN where none can be written now; never waits. */
export type WriteSome = (bytes: Uint8Array) => number;

export interface LogOutputOptions {
  write: WriteSome;
  /** The line that says how many lines were dropped. */
  droppedLine: (lines: number) => string;
  /** Runs `task` once, later; must not keep the process alive. */
  later: (task: () => void) => void;
}

/**
 * Where the lines of a log go: at once, as long as they are taken, and otherwise into a queue that is bounded. A reader that does not
 * read never holds up the process: past the bound new lines are dropped, and a line says how many as soon as there is room again.
 */
export class LogOutput {
  readonly #options: LogOutputOptions;
  readonly #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #dropped = 0;
  #droppedTotal = 0;
  #willRetry = false;

  constructor(options: LogOutputOptions) {
    this.#options = options;
  }

  /** How many lines were dropped since the process began. */
  get droppedLines(): number {
    return this.#droppedTotal;
  }

  /** Takes one line, with its end. Never throws, never waits. */
  write(line: string): void {
    const bytes = Buffer.from(line);
    if (this.#pendingBytes + bytes.length > LOG_PENDING_BYTES_MAX) {
      this.#dropped += 1;
      this.#droppedTotal += 1;
      return;
    }
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
    this.flush();
  }

  /** Writes as much of what waits as is taken now. */
  flush(): void {
    for (let next = this.#pending[0]; next !== undefined; next = this.#pending[0]) {
      const written = this.#writeSome(next);
      if (written === 0) {
        this.#retryLater();
        return;
      }
      this.#pendingBytes -= written;
      if (written === next.length) this.#pending.shift();
      else this.#pending[0] = next.subarray(written);
      if (this.#pending.length === 0 && this.#dropped > 0) this.#writeDroppedLine();
    }
  }

  /** All that waits, tried until `isOver`; for a process that exits. */
  flushUntil(isOver: () => boolean): void {
    this.flush();
    while (this.#pending.length > 0 && !isOver()) this.flush();
  }

  #writeDroppedLine(): void {
    const line = Buffer.from(this.#options.droppedLine(this.#dropped));
    this.#dropped = 0;
    this.#pending.push(line);
    this.#pendingBytes += line.length;
  }

  /** 0 where nothing is taken now. A line that cannot be written at all is dropped: nobody could be told of it here. */
  #writeSome(bytes: Uint8Array): number {
    try {
      return this.#options.write(bytes);
    } catch (error) {
      if ((error as { code?: unknown }).code === "EAGAIN") return 0;
      this.#droppedTotal += 1;
      return bytes.length;
    }
  }

  #retryLater(): void {
    if (this.#willRetry) return;
    this.#willRetry = true;
    this.#options.later(() => {
      this.#willRetry = false;
      this.flush();
    });
  }
}

const STDOUT = 1;

let output: LogOutput | undefined;

/** The standard output of this process, one for all its logs; `droppedLine` is taken from whoever asks first. */
export function standardOutput(droppedLine: LogOutputOptions["droppedLine"]): LogOutput {
  if (output !== undefined) return output;
  const descriptor = nonBlockingStdout();
  const made = new LogOutput({
    write: (bytes) => writeSync(descriptor, bytes),
    droppedLine,
    later: (task) => setTimeout(task, LOG_RETRY_MS).unref(),
  });
  process.on("exit", () => {
    const untilMs = performance.now() + LOG_EXIT_MS_MAX;
    made.flushUntil(() => {
      sleep(LOG_EXIT_MS_MAX / 25);
      return performance.now() >= untilMs;
    });
  });
  output = made;
  return made;
}

/** How many lines of this process's log were dropped. */
export const droppedLogLines = (): number => output?.droppedLines ?? 0;

/** Kept, or the collector would close standard output with it. */
let socket: Socket | undefined;

/**
 * A descriptor of standard output that never waits. A pipe or a terminal is opened again: other processes that share it are not to find
 * theirs changed. A socket, as systemd gives its services, cannot be opened again, and is changed itself. A file never makes anybody wait.
 */
function nonBlockingStdout(): number {
  try {
    const kind = fstatSync(STDOUT);
    if (kind.isFile()) return STDOUT;
    if (kind.isSocket()) {
      // Opening a handle of libuv makes the descriptor non-blocking; nothing is ever written through this one.
      socket = new Socket({ fd: STDOUT, readable: false, writable: true });
      socket.unref();
      return STDOUT;
    }
    return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Not Linux, or not ours to open: it may wait, as it did before.
    return STDOUT;
  }
}

/** Holds the thread; only for a process that is about to exit. */
const sleep = (delayMs: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
