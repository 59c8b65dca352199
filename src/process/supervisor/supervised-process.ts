import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import {
  CONTROL_STALL_MS_MAX,
  HEARTBEAT_MS,
  MIGRATION_MS_MAX,
  PROCESS_START_MS_MAX,
  WORKER_STALL_MS_MAX,
} from "../../core/limits/processes.ts";
import type { ChildAssignment, ChildKind, FromChild, ToChild } from "../supervisor-protocol.ts";

/** A process that was started, as far as it can be reached. */
export interface Child {
  /** Undefined when there is none: it could not be started. */
  readonly pid: number | undefined;
  /** What is told to a process that is gone is lost. */
  send(message: ToChild): void;
  /** Hands it a connection, which is closed where the process is gone. */
  sendConnection(connection: Socket): void;
  /** As `kill -9` does. */
  kill(): void;
}

/** How a process exited: by itself with a code, or by a signal; both are null when it could not be started. */
export interface ProcessExit {
  exitCode: number | null;
  signal: string | null;
}

/** What becomes of a child. `gone` comes once, never before `startChild` has returned, and nothing comes after it. */
export interface ChildEvents {
  onMessage(message: FromChild): void;
  onExit(exit: ProcessExit): void;
}

export type StartChild = (kind: ChildKind, events: ChildEvents) => Child;

export interface SupervisedProcessOptions {
  startChild: StartChild;
  clock: Clock;
  /** Called with everything that it tells. */
  onMessage?: (message: FromChild) => void;
}

/** Why the supervisor itself killed a process. */
export type KillReason = "start_timeout" | "worker_stalled" | "control_stalled" | "exit_timeout";

/** Heartbeats that may be missing in a row. */
const MISSED_HEARTBEATS_MAX: Readonly<Record<ChildKind, number>> = {
  worker: WORKER_STALL_MS_MAX / HEARTBEAT_MS,
  control: CONTROL_STALL_MS_MAX / HEARTBEAT_MS,
};

/**
 * The life of one process, from its start to its end. It loads its code and waits until it is given a place; one that does not
 * get ready then, or that falls silent, is killed.
 */
export class SupervisedProcess {
  readonly kind: ChildKind;
  /** Resolves with the port that it listens on; rejects with `unavailable` when it ends before that. */
  readonly ready: Promise<number>;
  /** Resolves when it is gone. */
  readonly exited: Promise<ProcessExit & { reason?: KillReason }>;
  readonly #clock: Clock;
  readonly #child: Child;
  #isReady = false;
  #isGone = false;
  #missedHeartbeats = 0;
  #cancelTimer = (): void => {};
  #killReason: KillReason | undefined;

  /** Throws what `startChild` throws, and nothing is watched then. */
  constructor(kind: ChildKind, { startChild, clock, onMessage = () => {} }: SupervisedProcessOptions) {
    this.kind = kind;
    this.#clock = clock;
    let onReady = (_port: number): void => {};
    let onFailed = (_error: Error): void => {};
    let onExited = (_exit: ProcessExit & { reason?: KillReason }): void => {};
    this.ready = new Promise((resolve, reject) => {
      [onReady, onFailed] = [resolve, reject];
    });
    // Whoever waits for it hears of it; when nobody does it is no error.
    this.ready.catch(() => {});
    this.exited = new Promise((resolve) => {
      onExited = resolve;
    });
    this.#child = startChild(kind, {
      onMessage: (message) => {
        this.#missedHeartbeats = 0;
        onMessage(message);
        if (message.kind === "migrating")
          this.#startReadyTimeout(message.isOver ? PROCESS_START_MS_MAX : MIGRATION_MS_MAX);
        if (message.kind !== "ready") return;
        this.#isReady = true;
        this.#cancelTimer();
        this.#startWatchdog();
        onReady(message.port);
      },
      onExit: (exit) => {
        this.#isGone = true;
        this.#cancelTimer();
        const reason = this.#killReason;
        onExited({ ...exit, ...(reason !== undefined && { reason }) });
        onFailed(unavailable(`the ${kind} process could not be started: ${reason ?? exit.exitCode ?? exit.signal}`));
      },
    });
  }

  /** Gives it its place, once; from now on it has PROCESS_START_MS_MAX to get ready, without a migration. */
  assign(options: ChildAssignment): void {
    this.send({ kind: "assign", options });
    this.#startReadyTimeout(PROCESS_START_MS_MAX);
  }

  #startReadyTimeout(delayMs: number): void {
    this.#cancelTimer();
    if (!this.#isGone) this.#cancelTimer = this.#clock.after(delayMs, () => this.#kill("start_timeout"));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** It has said that it is ready, and still lives. */
  get isUp(): boolean {
    return this.#isReady && !this.#isGone;
  }

  send(message: ToChild): void {
    if (!this.#isGone) this.#child.send(message);
  }

  /** Hands it a connection of the media port. What follows is acknowledged even where the connection is lost on its way. */
  sendConnection(connection: Socket): void {
    if (this.#isGone) {
      connection.destroy();
      return;
    }
    this.#child.sendConnection(connection);
    this.#child.send({ kind: "connection-sent" });
  }

  /** Resolves when it is gone, for which it has this long; then it is killed. */
  async exitWithin(delayMs: number): Promise<void> {
    const cancel = this.#clock.after(delayMs, () => this.#kill("exit_timeout"));
    await this.exited;
    cancel();
  }

  /** Ends it without a word, and without a reason that needs telling. */
  kill(): void {
    if (!this.#isGone) this.#child.kill();
  }

  #kill(reason: KillReason): void {
    if (this.#isGone) return;
    this.#killReason ??= reason;
    this.#child.kill();
  }

  /**
   * Counts beats rather than time: while the supervisor itself, or the whole machine, stood still nobody was silent. What was
   * told meanwhile is heard before the next turn of this.
   */
  #startWatchdog(): void {
    this.#cancelTimer = this.#clock.after(HEARTBEAT_MS, () => {
      this.#missedHeartbeats += 1;
      if (this.#missedHeartbeats > MISSED_HEARTBEATS_MAX[this.kind]) this.#kill(`${this.kind}_stalled`);
      else this.#startWatchdog();
    });
  }
}
