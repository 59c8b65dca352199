import type { Socket } from "node:net";
import { systemClock } from "../../core/clock.ts";
import { CONNECTIONS_PENDING_MAX, CONNECTIONS_UNACKNOWLEDGED_MAX } from "../../core/limits/streams/connections.ts";
import type { Logger } from "../../core/log/logger.ts";
import { idleTurn } from "../../gateway/event-loop/idle-turn.ts";
import { type ConnectionSource, PortConnections } from "../../gateway/server/ws/connection-source.ts";

/** A worker process that receives connections. */
export interface ConnectionReceiver {
  /** The worker owns the connection from here on. It is closed when the worker has died meanwhile. */
  sendConnection(connection: Socket): void;
}

/**
 * The media port when the media server is ws and workers cannot share the port: on Node 20, whose `net` has no `reusePort`, and on
 * systems other than Linux. The supervisor accepts connections and passes them to the accepting workers in turn.
 */
export class MediaPort {
  readonly #source: ConnectionSource;
  readonly #log: Logger;
  readonly #idle: () => Promise<void>;
  /** The unacknowledged connections of each accepting worker; the worker whose turn it is comes first. */
  readonly #unacknowledged = new Map<ConnectionReceiver, number>();
  /** Accepted connections that were not passed to a worker yet. */
  readonly #pending: Socket[] = [];

  /** `idle` resolves when no connection waits to be accepted. */
  constructor(
    log: Logger,
    source: ConnectionSource = new PortConnections(log, { pausesConnections: true }),
    idle = (): Promise<void> => idleTurn(() => systemClock.nowMs()),
  ) {
    this.#log = log;
    this.#source = source;
    this.#idle = idle;
  }

  /** Accepts connections, which wait for the first worker. Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return this.#source.listen(host, port, (connection) => this.#onConnection(connection));
  }

  /**
   * Whether a worker accepts connections from now on. While none does, the port is closed and the kernel refuses connections.
   * Resolves when the port is open for a worker that accepts.
   */
  async setAccepting(worker: ConnectionReceiver, accepts: boolean): Promise<void> {
    if (accepts) {
      if (!this.#unacknowledged.has(worker)) this.#unacknowledged.set(worker, 0);
      const opened = this.#source.pause(false);
      this.#forwardPending();
      await opened;
    } else if (this.#unacknowledged.delete(worker) && this.#unacknowledged.size === 0) {
      void this.#closeWhenIdle();
    }
  }

  /**
   * Closing a listener resets connections that are being accepted, and another worker may just have room for one: its message waits
   * in this process's event loop.
   */
  async #closeWhenIdle(): Promise<void> {
    await this.#idle();
    if (this.#unacknowledged.size > 0) return;
    void this.#source.pause(true);
    for (const connection of this.#pending.splice(0)) connection.destroy();
  }

  /** A connection has reached the worker, or was lost on its way. */
  onConnectionTaken(worker: ConnectionReceiver): void {
    const unacknowledged = this.#unacknowledged.get(worker);
    if (unacknowledged === undefined) return;
    this.#unacknowledged.set(worker, Math.max(0, unacknowledged - 1));
    this.#forwardPending();
  }

  #onConnection(connection: Socket): void {
    connection.on("error", () => {});
    if (this.#pending.length >= CONNECTIONS_PENDING_MAX) {
      this.#log.warn(
        { waiting: this.#pending.length },
        "connection closed: no worker accepts the connections queued before it",
      );
      connection.destroy();
      return;
    }
    this.#pending.push(connection);
    this.#forwardPending();
  }

  #forwardPending(): void {
    while (this.#pending.length > 0) {
      const next = [...this.#unacknowledged].find(
        ([, unacknowledged]) => unacknowledged < CONNECTIONS_UNACKNOWLEDGED_MAX,
      );
      if (next === undefined) return;
      const [worker, unacknowledged] = next;
      // Moves the worker to the end of the order.
      this.#unacknowledged.delete(worker);
      this.#unacknowledged.set(worker, unacknowledged + 1);
      const connection = this.#pending.shift();
      if (connection !== undefined) worker.sendConnection(connection);
    }
  }
}
