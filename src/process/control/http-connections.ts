import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import {
  CONNECTIONS_HEADROOM_DIVISOR,
  KEEP_ALIVE_MS,
  KEEP_ALIVE_SCARCE_MS,
  UNREAD_MS_MIN,
} from "../../core/limits/api.ts";

/**
 * Why a connection was closed or refused: it was `idle` (no request, or not the whole of one), its answer was `unread`, or all
 * others were being answered (`refused`).
 */
export type ConnectionCloseReason = "idle" | "unread" | "refused";

export interface HttpConnectionsOptions {
  /** Connections at once, at least 1. */
  max: number;
  clock: Clock;
  /** Called for each connection that was closed for want of room. */
  onClosed: (why: ConnectionCloseReason) => void;
}

/**
 * Bounds the connections of an HTTP server so that a new request always finds room: where it is scarce, the connection that has
 * been idle longest is closed, then the one whose answer has waited longest to be read, UNREAD_MS_MIN at least. All others are
 * left alone: then the new connection is closed. While more than half of the room is taken, idle connections are kept for a second only.
 */
export class HttpConnections {
  readonly #server: Server;
  readonly #options: HttpConnectionsOptions;
  readonly #softMax: number;
  /** Requests that each open connection has under way. */
  readonly #requests = new Map<Socket, number>();
  /** Connections without a whole request; the one that has been so longest is first. */
  readonly #idle = new Set<Socket>();
  /** Connections with a request under way, and since when they have made no progress; the oldest is first. */
  readonly #busy = new Map<Socket, number>();

  /** To be made before the server listens, and after its other listeners have been added. */
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
    // Node answers unknown expectations itself unless somebody listens.
    if (server.listenerCount("checkExpectation") > 0) server.prependListener("checkExpectation", onRequest);
    this.#setKeepAlive();
  }

  /** Connections that are open. */
  get count(): number {
    return this.#requests.size;
  }

  #onConnection(socket: Socket): void {
    this.#requests.set(socket, 0);
    socket.once("close", () => this.#forget(socket));
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
    // A stream is sent, it goes on, or all of the answer was written.
    response.once("pipe", onProgress);
    response.on("drain", onProgress);
    response.once("prefinish", onProgress);
    response.once("close", () => this.#onAnswered(socket));
  }

  /** The answer was sent, or cannot be any more. */
  #onAnswered(socket: Socket): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) return;
    this.#requests.set(socket, requests - 1);
    if (requests > 1) {
      this.#onProgress(socket);
      return;
    }
    this.#busy.delete(socket);
    // Behind those that have been idle for longer.
    this.#idle.delete(socket);
    this.#idle.add(socket);
  }

  #onProgress(socket: Socket): void {
    if (!this.#requests.has(socket)) return;
    this.#idle.delete(socket);
    this.#busy.delete(socket);
    this.#busy.set(socket, this.#options.clock.nowMs());
  }

  #makeRoom(newcomer: Socket): void {
    const [idle] = this.#idle;
    const unread = idle ? undefined : this.#longestUnread();
    const [why, closed] = idle
      ? (["idle", idle] as const)
      : unread
        ? (["unread", unread] as const)
        : (["refused", newcomer] as const);
    this.#options.onClosed(why);
    this.#forget(closed);
    closed.destroy();
  }

  /** The connection whose bytes its client has not taken for longest, where that is long enough. */
  #longestUnread(): Socket | undefined {
    const untilMs = this.#options.clock.nowMs() - UNREAD_MS_MIN;
    for (const [socket, sinceMs] of this.#busy) {
      if (sinceMs > untilMs) return undefined;
      if (socket.writableLength > 0) return socket;
    }
    return undefined;
  }

  #forget(socket: Socket): void {
    this.#requests.delete(socket);
    this.#idle.delete(socket);
    this.#busy.delete(socket);
    this.#setKeepAlive();
  }

  /** Node reads it whenever an answer has been sent. */
  #setKeepAlive(): void {
    const isScarce = this.#requests.size > this.#options.max / 2;
    this.#server.keepAliveTimeout = isScarce ? KEEP_ALIVE_SCARCE_MS : KEEP_ALIVE_MS;
  }
}

/** RFC 9112, section 6.3. */
const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
