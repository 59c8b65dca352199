import type { Socket } from "node:net";
import { CONNECTIONS_HANDED_MAX, CONNECTIONS_WAITING_MAX } from "./core/connection-limits.ts";
import type { Logger } from "./core/log.ts";
import { type ConnectionSource, PortConnections } from "./gateway/media-server/connection-source.ts";

/** A worker process that connections are handed to. */
export interface ConnectionTaker {
  /** The connection is the worker's from here on. Where it has died meanwhile the connection is closed. */
  hand(connection: Socket): void;
}

/**
 * The media port where ws serves and workers cannot share it: on Node 20, where `net` has no `reusePort`, and on systems other than
 * Linux. The supervisor accepts, and hands each connection to the next worker that takes connections.
 */
export class MediaPort {
  readonly #source: ConnectionSource;
  readonly #log: Logger;
  /** How many connections each worker was handed that it has not taken yet; the one whose turn it is comes first. */
  readonly #handed = new Map<ConnectionTaker, number>();
  /** Accepted, and not handed to anybody. */
  readonly #waiting: Socket[] = [];

  constructor(log: Logger, source: ConnectionSource = new PortConnections(log, { pausesConnections: true })) {
    this.#log = log;
    this.#source = source;
  }

  /** Accepts connections from now on; they wait for the first worker. Resolves with the port. */
  listen(host: string, port: number): Promise<number> {
    return this.#source.listen(host, port, (connection) => this.#onConnection(connection));
  }

  /** A worker takes connections from now on, or takes no more. While none does the port is closed: the kernel refuses connections. */
  setTakes(taker: ConnectionTaker, takes: boolean): void {
    if (takes === this.#handed.has(taker)) return;
    if (takes) {
      this.#handed.set(taker, 0);
      if (this.#handed.size === 1) this.#source.pause(false);
      this.#handWaiting();
    } else {
      this.#handed.delete(taker);
      if (this.#handed.size > 0) return;
      this.#source.pause(true);
      for (const connection of this.#waiting.splice(0)) connection.destroy();
    }
  }

  /** A worker has taken one of the connections that it was handed, or it was lost on its way. */
  taken(taker: ConnectionTaker): void {
    const handed = this.#handed.get(taker);
    if (handed === undefined) return;
    this.#handed.set(taker, Math.max(0, handed - 1));
    this.#handWaiting();
  }

  #onConnection(connection: Socket): void {
    connection.on("error", () => {});
    if (this.#waiting.length >= CONNECTIONS_WAITING_MAX) {
      this.#log.warn({ waiting: this.#waiting.length }, "a connection was closed: no worker takes the ones before it");
      connection.destroy();
      return;
    }
    this.#waiting.push(connection);
    this.#handWaiting();
  }

  #handWaiting(): void {
    while (this.#waiting.length > 0) {
      const next = [...this.#handed].find(([, handed]) => handed < CONNECTIONS_HANDED_MAX);
      if (next === undefined) return;
      const [taker, handed] = next;
      // It has had its turn.
      this.#handed.delete(taker);
      this.#handed.set(taker, handed + 1);
      const connection = this.#waiting.shift();
      if (connection !== undefined) taker.hand(connection);
    }
  }
}
