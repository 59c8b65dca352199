import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type MonotonicMs } from "../../../core/clocks.ts";
import {
  CONNECTIONS_HEADROOM_DIVISOR,
  KEEP_ALIVE_MS,
  KEEP_ALIVE_SCARCE_MS,
  UNREAD_MS_MIN,
} from "../../../core/limits/control-api/api.ts";

/**
 * Why a connection was closed or refused: it was `idle` (no complete request), its response was `unread`, or all other
 * connections had requests in progress (`refused`).
 */
export type ConnectionCloseReason = "idle" | "unread" | "refused";

export interface HttpConnectionsOptions {
  /** Connections at once, at least 1. */
  max: number;
  clock: Clock;
  /** Called for each connection that was closed because the limit was reached. */
  onClosed: (reason: ConnectionCloseReason) => void;
}

/**
 * Bounds the connections of an HTTP server so that new requests find room. Near the limit, a new connection closes the one that
 * has been idle longest; without an idle one, the one whose client has not read its response for longest, at least
 * UNREAD_MS_MIN. If there is none of these, the new connection itself is closed. While more than half of the connections are in
 * use, idle ones are kept alive for only one second.
 */
export class HttpConnections {
  readonly #server: Server;
  readonly #options: HttpConnectionsOptions;
  readonly #softMax: number;
  /** Requests in progress on each open connection. */
  readonly #requests = new Map<Socket, number>();
  /** Connections without a complete request, the longest idle first. */
  readonly #idle = new Set<Socket>();
  /** Connections with a request in progress, and the time of their last progress, the oldest first. */
  readonly #busy = new Map<Socket, MonotonicMs>();

  /** Create it before the server listens and after all other listeners were added. */
  constructor(server: Server, options: HttpConnectionsOptions) {
    this.#server = server;
    this.#options = options;
    const { max, onClosed } = options;
    this.#softMax = Math.max(1, max - Math.ceil(max / CONNECTIONS_HEADROOM_DIVISOR));
    server.maxConnections = max;
    server.on("connection", (socket: Socket) => this.#onConnection(socket));
    server.on("drop", () => onClosed("refused"));
    const onRequest = (request: IncomingMessage, response: ServerResponse): void => this.#onRequest(request, response);
    server.prependListener("request", onRequest);
    // Node responds to unknown expectations itself unless a listener is registered.
    if (server.listenerCount("checkExpectation") > 0) server.prependListener("checkExpectation", onRequest);
    this.#setKeepAlive();
  }

  /** Connections that are open. */
  get count(): number {
    return this.#requests.size;
  }

  #onConnection(socket: Socket): void {
    this.#requests.set(socket, 0);
    socket.once("close", () => this.#remove(socket));
    if (this.#requests.size > this.#softMax) this.#makeRoom(socket);
    if (!socket.destroyed) this.#idle.add(socket);
    this.#setKeepAlive();
  }

  #onRequest(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    this.#requests.set(socket, (this.#requests.get(socket) ?? 0) + 1);
    const onProgress = (): void => this.#onProgress(socket);
    // A request that never ends must not hold its connection.
    if (hasBody(request)) request.once("end", onProgress);
    else onProgress();
    // A response makes progress when its stream starts, when the socket drains, and when it is completely written.
    response.once("pipe", onProgress);
    response.on("drain", onProgress);
    response.once("prefinish", onProgress);
    response.once("close", () => this.#onAnswered(socket));
  }

  /** The response was sent, or its connection closed. */
  #onAnswered(socket: Socket): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) return;
    this.#requests.set(socket, requests - 1);
    if (requests > 1) {
      this.#onProgress(socket);
      return;
    }
    this.#busy.delete(socket);
    // Moves the connection to the end of the order.
    this.#idle.delete(socket);
    this.#idle.add(socket);
  }

  #onProgress(socket: Socket): void {
    if (!this.#requests.has(socket)) return;
    this.#idle.delete(socket);
    this.#busy.delete(socket);
    this.#busy.set(socket, this.#options.clock.nowMs());
  }

  #makeRoom(newConnection: Socket): void {
    const [idle] = this.#idle;
    const unread = idle ? undefined : this.#longestUnread();
    const [reason, closed] = idle
      ? (["idle", idle] as const)
      : unread
        ? (["unread", unread] as const)
        : (["refused", newConnection] as const);
    this.#options.onClosed(reason);
    this.#remove(closed);
    closed.destroy();
  }

  /** The connection whose client has not read for longest, if that is at least UNREAD_MS_MIN. */
  #longestUnread(): Socket | undefined {
    const untilMs = addMs(this.#options.clock.nowMs(), -UNREAD_MS_MIN);
    for (const [socket, sinceMs] of this.#busy) {
      if (sinceMs > untilMs) return undefined;
      if (socket.writableLength > 0) return socket;
    }
    return undefined;
  }

  #remove(socket: Socket): void {
    this.#requests.delete(socket);
    this.#idle.delete(socket);
    this.#busy.delete(socket);
    this.#setKeepAlive();
  }

  /** Node reads `keepAliveTimeout` whenever a response was sent. */
  #setKeepAlive(): void {
    const isScarce = this.#requests.size > this.#options.max / 2;
    this.#server.keepAliveTimeout = isScarce ? KEEP_ALIVE_SCARCE_MS : KEEP_ALIVE_MS;
  }
}

/** RFC 9112, section 6.3. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
