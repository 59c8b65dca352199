import { strict as assert } from "node:assert";
import { systemClock } from "../../../core/clock.ts";
import type { MonotonicMs } from "../../../core/clocks.ts";
import { codeOf, unavailable } from "../../../core/errors.ts";
import {
  CONTROL_FRAMES_PER_SECOND_MAX,
  SOCKET_BACKPRESSURE_BYTES_MAX,
  SOCKET_IDLE_S,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../../../core/limits/streams/connections.ts";
import { corsHeaders } from "../../../core/network/cors.ts";
import { FixedWindowLimiter } from "../../rate-limits/fixed-window.ts";
import { CLOSE_INTERNAL_ERROR, CLOSE_POLICY_VIOLATION, CLOSED_WITHOUT_FRAME } from "../../transport/close-codes.ts";
import type { TransportListener } from "../../transport/transport.ts";
import type { CertificateFiles } from "../certificate.ts";
import type { MediaServer, MediaServerOptions } from "../media-server.ts";
import { OpenStreams } from "../open-streams.ts";
import {
  type AdmittedStream,
  admitStream,
  asksToResume,
  type HeaderReader,
  isUpgrade,
  type Refusal,
  type RefusalStatus,
  refusalOf,
} from "../upgrade.ts";
import type { UwsApp, UwsContext, UwsListenSocket, UwsModule, UwsRequest, UwsResponse, UwsSocket } from "./module.ts";
import { UwsTransport } from "./transport.ts";
import { UpgradeCork } from "./upgrade-cork.ts";

/** The options of every media server, and the library. */
export interface UwsServerOptions extends MediaServerOptions {
  uws: UwsModule;
}

interface Peer {
  admitted: AdmittedStream;
  transport: UwsTransport | undefined;
  listener: TransportListener | undefined;
  /** Pings and pongs. */
  controlFrames: FixedWindowLimiter<MonotonicMs>;
  /** The peer sent too many of them, and is being closed. */
  violated: boolean;
}

/** A request that waits for its response. */
interface Requester {
  isHead: boolean;
  /** The headers that allow a page to read a refusal. */
  cors: Refusal["headers"];
  /** The request was aborted: the response must not be touched any more. */
  aborted: boolean;
}

/** What the response to an upgrade needs, copied from its request. */
interface Upgrade {
  key: string;
  extensions: string;
  context: UwsContext;
}

/** The pause before listening on a port again is retried. */
const LISTEN_RETRY_MS = 1_000;

/**
 * The media server on uWebSockets.js. Sockets that share a port share its connections by the kernel's choice
 * (SO_REUSEPORT).
 */
export class UwsServer implements MediaServer {
  readonly streams = new OpenStreams();
  readonly #options: UwsServerOptions;
  /**
   * The app that listens. Without TLS it also serves; with TLS it hands accepted connections to the app with the newest
   * certificate.
   */
  readonly #acceptor: UwsApp;
  /** One per certificate, the newest last. Sockets of older ones stay in them. */
  readonly #tlsApps: UwsApp[] = [];
  #listening: UwsListenSocket | undefined;
  /** Where it listens, or will listen again after a pause; undefined when it will not. */
  #address: { host: string; port: number } | undefined;
  #isPaused = false;
  #handshakes = 0;
  readonly #fullLogLimit = new FixedWindowLimiter<MonotonicMs>(1);
  #upgradeCork: UpgradeCork | undefined;

  /** Throws when the certificate cannot be used. */
  constructor(options: UwsServerOptions) {
    this.#options = options;
    const { tls } = options;
    this.#acceptor = tls === undefined ? options.uws.App() : secureApp(options.uws, tls);
    if (tls === undefined) this.#serve(this.#acceptor);
    else this.prepareCertificate()();
  }

  /** Listens and returns the port, which differs from the requested one only for port 0. */
  async listen(host: string, port: number): Promise<number> {
    this.#upgradeCork ??= await UpgradeCork.open(this.#options.uws);
    return await new Promise((resolve, reject) => {
      this.#acceptor.listen(host, port, (socket) => {
        if (socket === false) {
          reject(new Error(`cannot listen on ${host}:${port}: is the port taken?`));
          return;
        }
        this.#listening = socket;
        this.#address = { host, port: this.#options.uws.us_socket_local_port(socket) };
        resolve(this.#address.port);
      });
    });
  }

  /**
   * Reads the certificate and its key from their files again; throws when they cannot be used. Calling the returned
   * function applies them to connections that are accepted from then on. All others keep their certificate, including
   * those whose handshake is not complete: the listening socket stays the same, so that no connection is refused
   * meanwhile.
   */
  prepareCertificate(): () => void {
    const { tls, uws } = this.#options;
    assert.ok(tls !== undefined, "a certificate needs TLS");
    const app = secureApp(uws, tls);
    this.#serve(app);
    return () => {
      const previous = this.#tlsApps.at(-1);
      if (previous !== undefined) this.#acceptor.removeChildAppDescriptor(previous.getDescriptor());
      this.#acceptor.addChildAppDescriptor(app.getDescriptor());
      this.#tlsApps.push(app);
    };
  }

  /**
   * Connections that were accepted and are no streams yet. uWebSockets.js closes those that send no request, after 10
   * s.
   */
  get handshakes(): number {
    return this.#handshakes;
  }

  /** Accepts no new connections; open ones stay. */
  stopListening(): void {
    this.#address = undefined;
    this.#closeListening();
  }

  /**
   * As `stopListening`, until it is called with false: meanwhile new connections go to other listeners on the port, and
   * where there are none the kernel refuses them. The port must have been given by number: only then can it be listened
   * on again while connections are on it.
   */
  pauseListening(isPaused: boolean): void {
    this.#isPaused = isPaused;
    if (isPaused) this.#closeListening();
    else this.#listenAgain();
  }

  #listenAgain(): void {
    if (this.#isPaused || this.#address === undefined || this.#listening !== undefined) return;
    const { host, port } = this.#address;
    this.#acceptor.listen(host, port, (socket) => {
      if (socket !== false) {
        this.#listening = socket;
        return;
      }
      this.#options.log.error({ host, port }, "could not listen on the port again");
      setTimeout(() => this.#listenAgain(), LISTEN_RETRY_MS);
    });
  }

  #closeListening(): void {
    if (this.#listening !== undefined) this.#options.uws.us_listen_socket_close(this.#listening);
    this.#listening = undefined;
  }

  /** Closes everything at once. */
  close(): void {
    this.#address = undefined;
    this.#listening = undefined;
    for (const app of [this.#acceptor, ...this.#tlsApps]) app.close();
    this.#upgradeCork?.close();
  }

  #serve(app: UwsApp): void {
    app.filter(this.#onConnection);
    app.ws<Peer>("/stream/:token", {
      // Compression gains nothing on G.711 and costs memory and time per socket.
      compression: 0,
      maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
      maxBackpressure: SOCKET_BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      // Pings follow `Transport.liveness`.
      sendPingsAutomatically: false,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (ws) => this.#onOpen(ws),
      message: (ws, message, isBinary) => this.#onMessage(ws, message, isBinary),
      ping: (ws) => this.#onControlFrame(ws, "pinged"),
      pong: (ws) => this.#onControlFrame(ws, "ponged"),
      close: (ws, code, message) => {
        this.#guarded(() => this.#onClose(ws, code, message));
      },
    });
    // Upgrades reach this handler, too, when the rest of the path is no token: empty, or with more than one part.
    app.any("/stream/*", (response, request) => {
      this.#refuse(response, this.#requester(response, request), isUpgrade(headerOf(request)) ? 401 : 426);
    });
    app.any("/*", (response, request) => this.#refuse(response, this.#requester(response, request), 404));
  }

  /**
   * The asynchronous upgrade, in the order that uWebSockets.js requires: the abort handler first, everything of the
   * request copied before the first await, and nothing touched after it if the peer has disconnected meanwhile.
   */
  #upgrade(response: UwsResponse, request: UwsRequest, context: UwsContext): void {
    const requester = this.#requester(response, request);
    const stream = { token: request.getParameter(0) ?? "", asksToResume: asksToResume(request.getQuery() ?? "") };
    const key = request.getHeader("sec-websocket-key");
    const extensions = request.getHeader("sec-websocket-extensions");
    const header = headerOf(request);
    if (!isUpgrade(header)) {
      this.#refuse(response, requester, 426);
      return;
    }
    admitStream(this.#options, stream, header, this.#onBug)
      .then((admitted) => {
        if (typeof admitted === "number") this.#refuse(response, requester, admitted);
        else if (requester.aborted) this.#guarded(() => admitted.abandon());
        else this.#open(response, requester, admitted, { key, extensions, context });
      })
      .catch(this.#onBug);
  }

  #requester(response: UwsResponse, request: UwsRequest): Requester {
    const cors = corsHeaders(request.getHeader("origin") || undefined, this.#options.corsOrigins ?? []);
    const requester = { isHead: request.getMethod() === "head", cors, aborted: false };
    response.onAborted(() => {
      requester.aborted = true;
    });
    return requester;
  }

  /** Upgrades to a stream; if that fails, the admission is given back and the connection is closed. */
  #open(
    response: UwsResponse,
    requester: Requester,
    admitted: AdmittedStream,
    { key, extensions, context }: Upgrade,
  ): void {
    const controlFrames = new FixedWindowLimiter<MonotonicMs>(CONTROL_FRAMES_PER_SECOND_MAX);
    const peer: Peer = { admitted, transport: undefined, listener: undefined, controlFrames, violated: false };
    try {
      assert.ok(this.#upgradeCork !== undefined, "the upgrade cork opens before the first connection");
      // No subprotocol is ever selected: carriers offer none, and tolerate that.
      this.#upgradeCork.run(() => response.upgrade(peer, key, "", extensions, context));
      this.#handshakes -= 1;
    } catch (error) {
      this.#onBug(error);
      this.#guarded(() => admitted.abandon());
      this.#guarded(() => {
        if (!requester.aborted) response.close();
      });
    }
  }

  /**
   * Responds in a later turn. uWebSockets.js would serve a request that arrived in the same packet as this one, its
   * body or what looks like its body, although the connection is to be closed; before this response is sent, it drops
   * both.
   */
  #refuse(response: UwsResponse, requester: Requester, status: RefusalStatus): void {
    // Not setImmediate: for a connection that is closed there, uSockets never frees the memory (470 bytes each,
    // measured).
    setTimeout(() => {
      if (requester.aborted) return;
      const refusal = refusalOf(status, requester.cors);
      this.#options.log.debug({ requestId: refusal.requestId, status }, "stream refused");
      this.#guarded(() => response.cork(() => answer(response, requester.isHead, refusal)));
    }, 0);
  }

  /**
   * Without a file descriptor for one more connection, uWebSockets.js would retry continuously, using all the
   * processor's time, and no file could be opened: a connection beyond the limit is accepted and closed.
   */
  readonly #onConnection = (response: UwsResponse, change: number): void => {
    this.#handshakes += change;
    const { handshakesMax = () => Number.POSITIVE_INFINITY, log } = this.#options;
    if (change < 0 || this.#handshakes <= handshakesMax()) return;
    if (this.#fullLogLimit.allows(systemClock.nowMs())) {
      log.warn({ handshakes: this.#handshakes }, "connection closed: no file descriptor is left");
    }
    this.#guarded(() => response.close());
  };

  /** uWebSockets.js answers pings by itself, and queues no more answers than a peer may leave unread. */
  #onControlFrame(ws: UwsSocket<Peer>, what: "pinged" | "ponged"): void {
    this.#guarded(() => {
      const peer = ws.getUserData();
      if (peer.violated) return;
      if (peer.controlFrames.allows(systemClock.nowMs())) {
        peer.listener?.[what]();
        return;
      }
      peer.violated = true;
      ws.end(CLOSE_POLICY_VIOLATION, "protocol_error");
    });
  }

  #onOpen(ws: UwsSocket<Peer>): void {
    const peer = ws.getUserData();
    const transport = new UwsTransport(ws, peer.admitted.liveness);
    peer.transport = transport;
    this.streams.add(transport);
    try {
      peer.listener = peer.admitted.open(transport);
    } catch (error) {
      this.#onBug(error);
      this.#guarded(() => ws.end(CLOSE_INTERNAL_ERROR, "worker_lost"));
    }
  }

  /** The frame path begins here. */
  #onMessage(ws: UwsSocket<Peer>, message: ArrayBuffer, isBinary: boolean): void {
    try {
      ws.getUserData().listener?.message(new Uint8Array(message), isBinary);
    } catch (error) {
      this.#onBug(error);
    }
  }

  #onClose(ws: UwsSocket<Peer>, code: number, message: ArrayBuffer): void {
    const { transport, listener, violated } = ws.getUserData();
    if (transport !== undefined) this.streams.delete(transport);
    listener?.closed(code, violated || isViolation(code, message));
  }

  /** uWebSockets.js ends the process, and with it every call, on an exception in a handler. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onBug(error);
    }
  }

  readonly #onBug = (error: unknown): void => {
    this.#options.log.error({ err: error, code: codeOf(error), fault: "bug" }, "socket handler failed");
  };
}

/**
 * uWebSockets.js drops a connection that breaks RFC 6455 or exceeds the size limit without a close frame, and gives the
 * reason as text.
 */
const isViolation = (code: number, message: ArrayBuffer): boolean =>
  code === CLOSED_WITHOUT_FRAME && /^Received (too big|invalid)/.test(Buffer.from(message).toString("latin1"));

const headerOf =
  (request: UwsRequest): HeaderReader =>
  (name) =>
    request.getHeader(name);

/** SSLApp's own error does not say why; `certificateProblems` has examined the files before. */
function secureApp({ SSLApp }: UwsModule, { certFile, keyFile }: CertificateFiles): UwsApp {
  try {
    return SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (error) {
    throw unavailable(`TLS cannot be served with ${certFile} and ${keyFile}`, error);
  }
}

function answer(response: UwsResponse, isHead: boolean, { statusLine, headers, body }: Refusal): void {
  response.writeStatus(statusLine);
  for (const [name, value] of headers) response.writeHeader(name, value);
  if (isHead) response.endWithoutBody(Buffer.byteLength(body), true);
  else response.end(body, true);
}
