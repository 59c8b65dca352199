import { constants, fstatSync, openSync, writeSync } from "node:fs";
import { Socket } from "node:net";
import { LOG_EXIT_MS_MAX, LOG_PENDING_BYTES_MAX, LOG_RETRY_MS } from "../limits/service/processes.ts";

/** Writes at least one of `bytes` and returns how many. Throws EAGAIN when none can be written now; never waits. */
export type WriteSome = (bytes: Uint8Array) => number;

export interface LogOutputOptions {
  write: WriteSome;
  /** The line that reports how many lines were dropped. */
  droppedLine: (lines: number) => string;
  /** Runs `task` once, later; must not keep the process alive. */
  later: (task: () => void) => void;
}

/**
 * Writes log lines at once if possible, and otherwise to a bounded queue, so that a slow reader never blocks the process. When the
 * queue is full, new lines are dropped; a line reports how many as soon as there is room again.
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

  /** Writes one line, including its newline. Never throws, never waits. */
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

  /** Writes as much of the queue as possible now. */
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

  /** Writes the whole queue, retrying until `isOver`; for a process that exits. */
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

  /** 0 when nothing can be written now. A line that can never be written is dropped; there is no place to report it. */
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

/** The output of all loggers of this process; `droppedLine` of the first call is used. */
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

/** How many log lines of this process were dropped. */
export const droppedLogLines = (): number => output?.droppedLines ?? 0;

/** Referenced, because garbage collection of the handle would close standard output. */
let socket: Socket | undefined;

/**
 * A non-blocking descriptor of standard output. A pipe or a terminal is opened again, because the mode of the shared descriptor
 * would change for other processes, too. A socket, which systemd uses, cannot be opened again and is changed itself. A file never
 * blocks.
 */
function nonBlockingStdout(): number {
  try {
    const kind = fstatSync(STDOUT);
    if (kind.isFile()) return STDOUT;
    if (kind.isSocket()) {
      // Opening a libuv handle makes the descriptor non-blocking; nothing is written through the handle.
      socket = new Socket({ fd: STDOUT, readable: false, writable: true });
      socket.unref();
      return STDOUT;
    }
    return openSync("/proc/self/fd/1", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    // Not Linux, or no permission to open it: writing may block, as without this function.
    return STDOUT;
  }
}

/** Blocks the thread; only for a process that is about to exit. */
const sleep = (delayMs: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delayMs);
