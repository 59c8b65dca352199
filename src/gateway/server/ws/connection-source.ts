import { createServer, type ListenOptions, type Server, type Socket } from "node:net";
import { systemClock } from "../../../core/clock.ts";
import type { MonotonicMs } from "../../../core/clocks.ts";
import type { Logger } from "../../../core/log/logger.ts";
import { FixedWindowLimiter } from "../../rate-limits/fixed-window.ts";

/**
 * Where a media server on Node's own sockets gets its connections: from a port of this process, or from another process
 * that accepts them.
 */
export interface ConnectionSource {
  /** Passes connections to `onConnection` from now on, which then owns them. Resolves with the port. */
  listen(host: string, port: number, onConnection: (socket: Socket) => void): Promise<number>;
  /**
   * While paused, no connections are accepted; resuming does nothing after `stop`. Resolves when connections are accepted again,
   * or not any more.
   */
  pause(isPaused: boolean): Promise<void>;
  /** Accepts no more connections. */
  stop(): void;
  /** Connections may have been accepted for this process that it has not received yet. */
  readonly hasPendingConnections: boolean;
}

/** The pause before listening on a port again is retried. */
const LISTEN_RETRY_MS = 1_000;

/** A TCP port of this process. */
export class PortConnections implements ConnectionSource {
  readonly #log: Logger;
  /** Connections are accepted paused: the process that they are handed to reads them. */
  readonly #pausesConnections: boolean;
  /** Other processes listen on the port, too, and the kernel chooses which one accepts a connection. */
  readonly #sharesPort: boolean;
  #server: Server | undefined;
  #onConnection: (socket: Socket) => void = () => {};
  /** Where it listens, or will listen again after a pause; undefined when it will not. */
  #address: { host: string; port: number } | undefined;
  #isPaused = false;
  /** Settles when the port is open again after a pause. */
  #reopening: Promise<void> | undefined;
  readonly #acceptErrorLogLimit = new FixedWindowLimiter<MonotonicMs>(1);

  constructor(log: Logger, { pausesConnections = false, sharesPort = false } = {}) {
    this.#log = log;
    this.#pausesConnections = pausesConnections;
    this.#sharesPort = sharesPort;
  }

  /** Accepted connections are delivered at once. */
  readonly hasPendingConnections = false;

  async listen(host: string, port: number, onConnection: (socket: Socket) => void): Promise<number> {
    this.#onConnection = onConnection;
    const server = await this.#open(host, port);
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("the server has no TCP port");
    this.#server = server;
    this.#address = { host, port: address.port };
    return address.port;
  }

  async pause(isPaused: boolean): Promise<void> {
    this.#isPaused = isPaused;
    if (isPaused) this.#close();
    else await this.#listenAgain();
  }

  stop(): void {
    this.#address = undefined;
    this.#close();
  }

  #open(host: string, port: number): Promise<Server> {
    const server = createServer({ pauseOnConnect: this.#pausesConnections, allowHalfOpen: true }, (socket) =>
      this.#onConnection(socket),
    );
    return new Promise((resolve, reject) => {
      const onListenError = (error: Error): void => {
        reject(new Error(`cannot listen on ${host}:${port}: ${error.message}`, { cause: error }));
      };
      server.once("error", onListenError);
      // The types of the oldest supported Node do not have `reusePort`.
      const options: ListenOptions & { reusePort: boolean } = { host, port, reusePort: this.#sharesPort };
      server.listen(options, () => {
        server.off("error", onListenError).on("error", this.#onAcceptError);
        resolve(server);
      });
    });
  }

  async #listenAgain(): Promise<void> {
    while (!this.#isPaused && this.#address !== undefined && this.#server === undefined) {
      const { host, port } = this.#address;
      try {
        this.#reopening ??= this.#reopen(host, port).finally(() => {
          this.#reopening = undefined;
        });
        await this.#reopening;
      } catch (error) {
        this.#log.error({ host, port, err: error }, "could not listen on the port again");
        await new Promise((resolve) => setTimeout(resolve, LISTEN_RETRY_MS));
      }
    }
  }

  /** A server that opens takes a moment, in which it may be paused or stopped. */
  async #reopen(host: string, port: number): Promise<void> {
    const server = await this.#open(host, port);
    if (this.#isPaused || this.#address === undefined) server.close();
    else this.#server = server;
  }

  /** One connection could not be accepted. The port still listens. */
  readonly #onAcceptError = (error: Error): void => {
    if (this.#acceptErrorLogLimit.allows(systemClock.nowMs())) {
      this.#log.warn({ err: error }, "connection could not be accepted");
    }
  };

  #close(): void {
    this.#server?.close();
    this.#server = undefined;
  }
}
