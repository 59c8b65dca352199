import type { Socket } from "node:net";
import { CONNECTIONS_PENDING_MAX, CONNECTIONS_UNACKNOWLEDGED_MAX } from "../../core/limits/connections.ts";
import type { Logger } from "../../core/log/logger.ts";
import { type ConnectionSource, PortConnections } from "../../gateway/server/ws/connection-source.ts";

/** A worker process that connections are handed to. */
export interface ConnectionReceiver {
  /** The connection is the worker's from here on. Where it has died meanwhile the connection is closed. */
  sendConnection(connection: Socket): void;
}

/**
 * The media port where ws serves and workers cannot share it: on Node 20, where `net` has no `reusePort`, and on systems other than
 * Linux. The supervisor accepts, and hands each connection to the next worker that takes connections.
 */
export class MediaPort {
  readonly #source: ConnectionSource;
  readonly #log: Logger;
  /** How many connections each worker was handed that it has not taken yet; the one whose turn it is comes first. */
  readonly #unacknowledged = new Map<ConnectionReceiver, number>();
  /** Accepted, and not handed to anybody. */
  readonly #pending: Socket[] = [];

  constructor(log: Logger, source: ConnectionSource = new PortConnections(log, { pausesConnections: true })) {
    this.#log = log;
    this.#source = source;
  }

  /** Accepts connections from now on; they wait for the first worker. Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return this.#source.listen(host, port, (connection) => this.#onConnection(connection));
  }

  /** A worker takes connections from now on, or takes no more. While none does the port is closed: the kernel refuses connections. */
  setAccepting(taker: ConnectionReceiver, takes: boolean): void {
    if (takes === this.#unacknowledged.has(taker)) return;
    if (takes) {
      this.#unacknowledged.set(taker, 0);
      if (this.#unacknowledged.size === 1) this.#source.pause(false);
      this.#forwardPending();
    } else {
      this.#unacknowledged.delete(taker);
      if (this.#unacknowledged.size > 0) return;
      this.#source.pause(true);
      for (const connection of this.#pending.splice(0)) connection.destroy();
    }
  }

  /** A worker has taken one of the connections that it was handed, or it was lost on its way. */
  onConnectionTaken(taker: ConnectionReceiver): void {
    const handed = this.#unacknowledged.get(taker);
    if (handed === undefined) return;
    this.#unacknowledged.set(taker, Math.max(0, handed - 1));
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
      const next = [...this.#unacknowledged].find(([, handed]) => handed < CONNECTIONS_UNACKNOWLEDGED_MAX);
      if (next === undefined) return;
      const [taker, handed] = next;
      // It has had its turn.
      this.#unacknowledged.delete(taker);
      this.#unacknowledged.set(taker, handed + 1);
      const connection = this.#pending.shift();
      if (connection !== undefined) taker.sendConnection(connection);
    }
  }
}
