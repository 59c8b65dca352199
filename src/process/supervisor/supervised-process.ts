import type { Socket } from "node:net";
import type { Child, ChildEvents, ChildExit } from "../../core/child-processes/child-process.ts";
import type { Clock } from "../../core/clock.ts";
import { unavailable } from "../../core/errors.ts";
import {
  CONTROL_STALL_MS_MAX,
  HEARTBEAT_MS,
  PROCESS_START_MS_MAX,
  RETRIEVAL_STALL_MS_MAX,
  SPEECH_STALL_MS_MAX,
  WORKER_STALL_MS_MAX,
} from "../../core/limits/service/processes.ts";
import type { ChildAssignment, ChildKind, FromChild, ToChild } from "../channel/protocol.ts";

/** A started process of the service. */
export interface ServiceChild extends Child<ToChild> {
  /** Passes on a connection, which is closed when the process has exited. */
  sendConnection(connection: Socket): void;
}

export type StartChild = (kind: ChildKind, events: ChildEvents<FromChild>) => ServiceChild;

export interface SupervisedProcessOptions {
  startChild: StartChild;
  clock: Clock;
  /** Called with every message of the process. */
  onMessage?: (message: FromChild) => void;
}

/** Why the supervisor itself killed a process. */
export type KillReason = "start_timeout" | `${ChildKind}_stalled` | "exit_timeout";

/** Heartbeats that may be missed in a row. */
const MISSED_HEARTBEATS_MAX: Readonly<Record<ChildKind, number>> = {
  worker: WORKER_STALL_MS_MAX / HEARTBEAT_MS,
  control: CONTROL_STALL_MS_MAX / HEARTBEAT_MS,
  speech: SPEECH_STALL_MS_MAX / HEARTBEAT_MS,
  retrieval: RETRIEVAL_STALL_MS_MAX / HEARTBEAT_MS,
};

/**
 * The life of one process, from its start to its exit. It loads its code and waits for its assignment. A process that does not
 * become ready after that, or that sends no heartbeats, is killed.
 */
export class SupervisedProcess {
  readonly kind: ChildKind;
  /** Resolves with the port on which the process listens; rejects with `unavailable` when it exits before that. */
  readonly ready: Promise<number>;
  /** Resolves when the process has exited. */
  readonly exited: Promise<ChildExit & { reason?: KillReason }>;
  readonly #clock: Clock;
  readonly #child: ServiceChild;
  #isReady = false;
  #hasExited = false;
  #missedHeartbeats = 0;
  #cancelTimer = (): void => {};
  #killReason: KillReason | undefined;

  /** Throws what `startChild` throws. */
  constructor(kind: ChildKind, { startChild, clock, onMessage = () => {} }: SupervisedProcessOptions) {
    this.kind = kind;
    this.#clock = clock;
    let onReady = (_port: number): void => {};
    let onFailed = (_error: Error): void => {};
    let onExited = (_exit: ChildExit & { reason?: KillReason }): void => {};
    this.ready = new Promise((resolve, reject) => {
      [onReady, onFailed] = [resolve, reject];
    });
    // Those who await `ready` get the rejection; without them it must not count as unhandled.
    this.ready.catch(() => {});
    this.exited = new Promise((resolve) => {
      onExited = resolve;
    });
    this.#child = startChild(kind, {
      onMessage: (message) => {
        this.#missedHeartbeats = 0;
        onMessage(message);
        if (message.kind === "starting") this.#startReadyTimeout(message.readyWithinMs);
        if (message.kind !== "ready") return;
        this.#isReady = true;
        this.#cancelTimer();
        this.#startWatchdog();
        onReady(message.port);
      },
      onExit: (exit) => {
        this.#hasExited = true;
        this.#cancelTimer();
        const reason = this.#killReason;
        onExited({ ...exit, ...(reason !== undefined && { reason }) });
        onFailed(unavailable(`the ${kind} process could not be started: ${reason ?? exit.exitCode ?? exit.signal}`));
      },
    });
  }

  /** To be called once. From now on the process has PROCESS_START_MS_MAX to become ready, or as long as it asks for. */
  assign(options: ChildAssignment): void {
    this.send({ kind: "assign", options });
    this.#startReadyTimeout(PROCESS_START_MS_MAX);
  }

  #startReadyTimeout(delayMs: number): void {
    this.#cancelTimer();
    if (!this.#hasExited) this.#cancelTimer = this.#clock.after(delayMs, () => this.#kill("start_timeout"));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** The process is ready and has not exited. */
  get isUp(): boolean {
    return this.#isReady && !this.#hasExited;
  }

  send(message: ToChild): void {
    if (!this.#hasExited) this.#child.send(message);
  }

  /** Passes on a connection of the media port. `connection-sent` is acknowledged even when the connection is lost on its way. */
  sendConnection(connection: Socket): void {
    if (this.#hasExited) {
      connection.destroy();
      return;
    }
    this.#child.sendConnection(connection);
    this.#child.send({ kind: "connection-sent" });
  }

  /** Resolves when the process has exited. It is killed after `delayMs`. */
  async exitWithin(delayMs: number): Promise<void> {
    const cancel = this.#clock.after(delayMs, () => this.#kill("exit_timeout"));
    await this.exited;
    cancel();
  }

  /** Kills the process. Its exit carries no kill reason. */
  kill(): void {
    if (!this.#hasExited) this.#child.kill();
  }

  #kill(reason: KillReason): void {
    if (this.#hasExited) return;
    this.#killReason ??= reason;
    this.#child.kill();
  }

  /**
   * Counts missed heartbeats rather than time, so that a stall of the supervisor or of the whole machine kills no process:
   * heartbeats that arrived during the stall are read before the next run of this timer.
   */
  #startWatchdog(): void {
    this.#cancelTimer = this.#clock.after(HEARTBEAT_MS, () => {
      this.#missedHeartbeats += 1;
      if (this.#missedHeartbeats > MISSED_HEARTBEATS_MAX[this.kind]) this.#kill(`${this.kind}_stalled`);
      else this.#startWatchdog();
    });
  }
}
