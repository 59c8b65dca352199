import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { CONNECTIONS_HEADROOM_DIVISOR, KEEP_ALIVE_MS, KEEP_ALIVE_SCARCE_MS, UNREAD_MS_MIN } from "./core/api-limits.ts";
import type { Clock } from "./core/clock.ts";

/**
 * Why a connection was closed or refused: it was `idle` (no request, or not the whole of one), its answer was `unread`, or all
 * others were being answered (`refused`).
 */
export type ConnectionRefusal = "idle" | "unread" | "refused";

export interface HttpConnectionsOptions {
  /** Connections at once, at least 1. */
  max: number;
  clock: Clock;
  /** Called for each connection that was closed for want of room. */
  onClosed: (why: ConnectionRefusal) => void;
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
  /** Connections whose whole answer was written, and since when it has waited to be read; the oldest is first. */
  readonly #unread = new Map<Socket, number>();

  /** To be made before the server listens. */
  constructor(server: Server, options: HttpConnectionsOptions) {
    this.#server = server;
    this.#options = options;
    const { max, onClosed } = options;
    this.#softMax = Math.max(1, max - Math.ceil(max / CONNECTIONS_HEADROOM_DIVISOR));
    server.maxConnections = max;
    server.on("connection", (socket: Socket) => this.#onConnection(socket));
    server.on("drop", () => onClosed("refused"));
    server.prependListener("request", (request: IncomingMessage, response: ServerResponse) =>
      this.#onRequest(request, response),
    );
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
    // A request that never ends must not hold its connection.
    if (hasBody(request)) request.once("end", () => this.#keep(socket));
    else this.#keep(socket);
    response.once("prefinish", () => {
      this.#keep(socket);
      if (this.#requests.has(socket)) this.#unread.set(socket, this.#options.clock.nowMs());
    });
    response.once("close", () => this.#onAnswered(socket));
  }

  /** The answer was sent, or cannot be any more. */
  #onAnswered(socket: Socket): void {
    const requests = this.#requests.get(socket);
    if (requests === undefined) return;
    this.#keep(socket);
    this.#requests.set(socket, requests - 1);
    if (requests === 1) this.#idle.add(socket);
  }

  /** Nobody takes the place of this connection. */
  #keep(socket: Socket): void {
    this.#idle.delete(socket);
    this.#unread.delete(socket);
  }

  #makeRoom(newcomer: Socket): void {
    const [idle] = this.#idle;
    const [[unread, sinceMs] = [undefined, 0]] = this.#unread;
    const isLate = unread !== undefined && this.#options.clock.nowMs() - sinceMs >= UNREAD_MS_MIN;
    const [why, closed] = idle
      ? (["idle", idle] as const)
      : isLate
        ? (["unread", unread] as const)
        : (["refused", newcomer] as const);
    this.#options.onClosed(why);
    this.#forget(closed);
    closed.destroy();
  }

  #forget(socket: Socket): void {
    this.#requests.delete(socket);
    this.#keep(socket);
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
