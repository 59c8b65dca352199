import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { createSecureContext, type SecureContext, TLSSocket } from "node:tls";
import { WebSocketServer } from "ws";
import { type Clock, systemClock } from "../../../core/clock.ts";
import type { MonotonicMs } from "../../../core/clocks.ts";
import { codeOf, unavailable } from "../../../core/errors.ts";
import { HEADERS_MAX } from "../../../core/limits/control-api/api.ts";
import {
  MESSAGE_FRAGMENTS_MAX,
  REQUEST_HEAD_BYTES_MAX,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../../../core/limits/streams/connections.ts";
import { corsHeaders } from "../../../core/network/cors.ts";
import { FixedWindowLimiter } from "../../rate-limits/fixed-window.ts";
import type { CertificateFiles } from "../certificate.ts";
import type { MediaServer, MediaServerOptions } from "../media-server.ts";
import { OpenStreams } from "../open-streams.ts";
import {
  type AdmittedStream,
  admitStream,
  asksToResume,
  type HeaderReader,
  isUpgrade,
  type RefusalStatus,
  refusalOf,
} from "../upgrade.ts";
import { type ConnectionSource, PortConnections } from "./connection-source.ts";
import { WsHandshake } from "./handshake.ts";
import { ClosingWebSocket, WsTransport } from "./transport.ts";

/** The options of every media server, and the source of connections: a port of this process by default. */
export interface WsServerOptions extends MediaServerOptions {
  connections?: ConnectionSource;
  /** For timeouts; the system's by default. */
  clock?: Clock;
}

const NOTHING = Buffer.alloc(0);

/** The media server on Node's own sockets and ws, for machines without a binary of uWebSockets.js. */
export class WsServer implements MediaServer {
  readonly streams = new OpenStreams();
  readonly #options: WsServerOptions;
  readonly #clock: Clock;
  readonly #connections: ConnectionSource;
  /** Never listens: it is given its connections, with TLS already removed. */
  readonly #http = createServer({ maxHeaderSize: REQUEST_HEAD_BYTES_MAX, requestTimeout: 0, headersTimeout: 0 });
  readonly #upgrades = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    // Compression gains nothing on G.711 and costs memory and time per socket.
    perMessageDeflate: false,
    maxPayload: SOCKET_PAYLOAD_BYTES_MAX,
    maxFragments: MESSAGE_FRAGMENTS_MAX,
    allowSynchronousEvents: true,
    // WsTransport answers pings and counts them.
    autoPong: false,
    WebSocket: ClosingWebSocket,
  });
  /** Connections that are no streams yet, by the socket that carries HTTP. */
  readonly #handshakes = new Map<Duplex, WsHandshake>();
  readonly #live = new Set<WsTransport>();
  /** Every connection until its file descriptor is released, including those that are closing. */
  readonly #sockets = new Set<Duplex>();
  readonly #fullLogLimit = new FixedWindowLimiter<MonotonicMs>(1);
  #secureContext: SecureContext | undefined;

  /** Throws `unavailable` when the certificate cannot be used. */
  constructor(options: WsServerOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#connections = options.connections ?? new PortConnections(options.log);
    if (options.tls !== undefined) this.prepareCertificate()();
    this.#http
      .on("request", (request) => this.#onRequest(request))
      .on("checkContinue", (request) => this.#onRequest(request))
      .on("checkExpectation", (request) => this.#onRequest(request))
      .on("connect", (request, socket, head) => this.#onDetached(request, socket, head))
      .on("upgrade", (request, socket, head) => this.#onDetached(request, socket, head))
      .on("clientError", (error, socket) => this.#handshakes.get(socket)?.fail(error));
  }

  listen(host: string, port: number): Promise<number> {
    return this.#connections.listen(host, port, this.#onConnection);
  }

  get handshakes(): number {
    return this.#handshakes.size + (this.#connections.hasPendingConnections ? 1 : 0);
  }

  stopListening(): void {
    this.#connections.stop();
  }

  pauseListening(isPaused: boolean): void {
    void this.#connections.pause(isPaused);
  }

  prepareCertificate(): () => void {
    const { tls } = this.#options;
    if (tls === undefined) throw new Error("a certificate needs TLS: options.tls is not set");
    const context = secureContextOf(tls);
    return () => {
      this.#secureContext = context;
    };
  }

  close(): void {
    this.#connections.stop();
    for (const stream of [...this.#live]) stream.terminate();
    for (const socket of this.#sockets) socket.destroy();
  }

  readonly #onConnection = (raw: Socket): void => {
    // A connection that was reset; `close` follows.
    raw.on("error", ignore);
    const { handshakesMax = () => Number.POSITIVE_INFINITY, log } = this.#options;
    // Closing connections count, too: the calls that they carried no longer do, and other calls may take their
    // descriptors.
    const openSockets = this.#sockets.size - this.#live.size;
    if (openSockets >= handshakesMax()) {
      if (this.#fullLogLimit.allows(this.#clock.nowMs())) {
        log.warn({ handshakes: openSockets }, "connection closed: no file descriptor is left");
      }
      raw.destroy();
      return;
    }
    raw.setNoDelay(true);
    const socket = this.#secured(raw);
    const handshake = new WsHandshake(socket, this.#clock);
    this.#handshakes.set(socket, handshake);
    this.#sockets.add(socket);
    socket.once("close", () => {
      this.#sockets.delete(socket);
      this.#finishHandshake(socket);
    });
    this.#http.emit("connection", socket);
  };

  /** The socket that carries HTTP: the connection itself, or TLS with the current certificate. */
  #secured(raw: Socket): Socket {
    if (this.#secureContext === undefined) return raw;
    const socket = new TLSSocket(raw, { isServer: true, secureContext: this.#secureContext });
    return socket.on("error", ignore);
  }

  #finishHandshake(socket: Duplex): void {
    this.#handshakes.get(socket)?.finish();
    this.#handshakes.delete(socket);
  }

  /** A request that is no upgrade for Node. */
  #onRequest(request: IncomingMessage): void {
    request.resume();
    const handshake = this.#beginHandshake(request, NOTHING);
    if (handshake === undefined) return;
    const [path = ""] = (request.url ?? "").split("?");
    this.#refuse(handshake, path.startsWith("/stream/") ? 426 : 404, request);
  }

  /** An upgrade, or a CONNECT: Node has released the socket. */
  #onDetached(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // Node has removed its own listener: without this one, a reset would be an uncaught exception.
    socket.on("error", ignore);
    const handshake = this.#beginHandshake(request, head);
    if (handshake === undefined) return;
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const header = headerOf(request);
    const [, token] = /^\/stream\/([^/]+)$/.exec(path) ?? [];
    if (!path.startsWith("/stream/")) this.#refuse(handshake, 404, request);
    else if (request.method !== "GET" || !isUpgrade(header)) this.#refuse(handshake, 426, request);
    else if (token === undefined) this.#refuse(handshake, 401, request);
    else {
      admitStream(this.#options, { token, asksToResume: asksToResume(query) }, header, this.#onBug)
        .then((admitted) => {
          if (typeof admitted === "number") this.#refuse(handshake, admitted, request);
          else this.#open(request, socket, admitted);
        })
        .catch(this.#onBug);
    }
  }

  /** The handshake of a request that needs a response; undefined when it was already dropped or refused. */
  #beginHandshake(request: IncomingMessage, head: Buffer): WsHandshake | undefined {
    const handshake = this.#handshakes.get(request.socket);
    if (handshake === undefined) return undefined;
    const isServed = handshake.begin(request, head, HEADERS_MAX);
    return isServed ? handshake : undefined;
  }

  /** Upgrades to a stream; if that fails, the admission is given back and the connection is closed. */
  #open(request: IncomingMessage, socket: Duplex, admitted: AdmittedStream): void {
    // No subprotocol is ever selected, and ws would refuse a header that it cannot parse.
    delete request.headers["sec-websocket-protocol"];
    try {
      // Calls back before it returns, or not at all if the peer has disconnected meanwhile.
      this.#upgrades.handleUpgrade(request, socket, NOTHING, (ws) => {
        this.#finishHandshake(socket);
        const stream = new WsTransport({
          ws,
          socket,
          liveness: admitted.liveness,
          clock: this.#clock,
          onBug: this.#onBug,
          onClosed: (closed) => {
            this.streams.delete(closed);
            this.#live.delete(closed);
          },
        });
        this.streams.add(stream);
        this.#live.add(stream);
        stream.open(admitted);
      });
    } catch (error) {
      this.#onBug(error);
      socket.destroy();
    }
    try {
      admitted.abandon();
    } catch (error) {
      this.#onBug(error);
    }
  }

  /** Responds in the next turn of the loop: a peer that sends a second request before the first response gets none. */
  #refuse(handshake: WsHandshake, status: RefusalStatus, { method, headers }: IncomingMessage): void {
    setImmediate(() => {
      if (!handshake.isWaiting) return;
      const refusal = refusalOf(status, corsHeaders(headers.origin, this.#options.corsOrigins ?? []));
      this.#options.log.debug({ requestId: refusal.requestId, status }, "stream refused");
      handshake.refuse(refusal, method === "HEAD");
    });
  }

  readonly #onBug = (error: unknown): void => {
    this.#options.log.error({ err: error, code: codeOf(error), fault: "bug" }, "socket handler failed");
  };
}

const ignore = (): void => {};

const headerOf =
  ({ headers }: IncomingMessage): HeaderReader =>
  (name) => {
    const value = headers[name] ?? "";
    return typeof value === "string" ? value : value.join(", ");
  };

/** OpenSSL's own error does not say why; `certificateProblems` has examined the files before. */
function secureContextOf({ certFile, keyFile }: CertificateFiles): SecureContext {
  try {
    return createSecureContext({ cert: readFileSync(certFile), key: readFileSync(keyFile), minVersion: "TLSv1.2" });
  } catch (error) {
    throw unavailable(`TLS cannot be served with ${certFile} and ${keyFile}`, error);
  }
}
