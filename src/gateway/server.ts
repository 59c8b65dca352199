import {
  App,
  type HttpRequest,
  type HttpResponse,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  type us_socket_context_t,
  us_socket_local_port,
  type WebSocket,
} from "uWebSockets.js";
import { strict as assert } from "node:assert";
import { systemClock } from "../core/clock.ts";
import { codeOf, unavailable } from "../core/errors.ts";
import { newId } from "../core/ids.ts";
import {
  CONTROL_FRAMES_PER_SECOND_MAX,
  SOCKET_BACKPRESSURE_BYTES_MAX,
  SOCKET_IDLE_S,
  SOCKET_PAYLOAD_BYTES_MAX,
} from "../core/limits.ts";
import type { Logger } from "../core/log.ts";
import type { CertificateFiles } from "./certificate.ts";
import { CLOSE_POLICY } from "./close-codes.ts";
import type { Admission, Leg, LegSocket } from "./leg.ts";
import { OpenStreams } from "./open-streams.ts";
import { PerSecond } from "./per-second.ts";
import { type SignatureHeaders, signatureHeaders } from "./signatures.ts";
import { Uncorked } from "./uncorked.ts";

declare module "uWebSockets.js" {
  /** What the package's types leave out; uWebSockets.js shows it in its example of worker threads. */
  interface TemplatedApp {
    /** An address of this app, good as long as the process lives, also when the app is closed. */
    getDescriptor(): number;
    /** From now on this app only accepts connections, and hands them to its children, each in turn. */
    addChildAppDescriptor(descriptor: number): TemplatedApp;
    removeChildAppDescriptor(descriptor: number): TemplatedApp;
    /** Told of every connection: 1 when it is accepted, -1 when it is closed, unless it has been upgraded. */
    filter(onConnection: (response: HttpResponse, change: number) => void): TemplatedApp;
  }
}

export interface MediaServerOptions {
  /**
   * Redeems the token of `/stream/{token}`, for a request that came with these headers. Allocates nothing for those that are
   * no good.
   */
  admit(token: string, headers: SignatureHeaders): Promise<Admission>;
  /** With these it speaks TLS 1.2 and 1.3, and nothing else. */
  tls?: CertificateFiles | undefined;
  /** How many connections there may be just now that are no streams yet; one more is closed as it comes. Any number unless told. */
  handshakesMax?: () => number;
  log: Logger;
}

interface Peer {
  open: (socket: LegSocket) => Leg;
  leg: Leg | undefined;
  /** Pings and pongs. */
  controlFrames: PerSecond;
  /** It sent too many of them, and is being closed for it. */
  violated: boolean;
}

/** Whoever waits for an answer. */
interface Requester {
  isHead: boolean;
  /** From then on the response may not be touched. */
  gone: boolean;
}

/** When a port that could not be listened on again is tried once more. */
const LISTEN_AGAIN_MS = 1_000;

type RefusalStatus = 401 | 404 | 426 | 503;

const REFUSALS: Readonly<Record<RefusalStatus, { status: string; code: string; message: string }>> = {
  401: { status: "401 Unauthorized", code: "unauthorized", message: "the stream token is not valid" },
  404: { status: "404 Not Found", code: "not_found", message: "there is nothing here but /stream/{token}" },
  426: {
    status: "426 Upgrade Required",
    code: "upgrade_required",
    message: "this address speaks WebSocket, version 13",
  },
  503: { status: "503 Service Unavailable", code: "unavailable", message: "no new streams can be taken now" },
};

/** The media plane's socket server, and with `uncorked.ts` all that knows uWebSockets.js. */
export class MediaServer {
  readonly streams = new OpenStreams();
  readonly #options: MediaServerOptions;
  /** What listens, and without TLS serves too. With TLS it hands what it accepts to the app with the newest certificate. */
  readonly #acceptor: TemplatedApp;
  /** One for each certificate, the newest last. Sockets of the older ones live on in them. */
  readonly #tlsApps: TemplatedApp[] = [];
  #listening: us_listen_socket | undefined;
  /** Where it listens, or is to listen again after a pause; undefined when it is not to. */
  #address: { host: string; port: number } | undefined;
  #isPaused = false;
  #handshakes = 0;
  readonly #crowdedLines = new PerSecond(1);
  #uncorked: Uncorked | undefined;

  /** Throws when the certificate cannot be used. */
  constructor(options: MediaServerOptions) {
    this.#options = options;
    const { tls } = options;
    this.#acceptor = tls === undefined ? App() : secureApp(tls);
    if (tls === undefined) this.#serve(this.#acceptor);
    else this.prepareCertificate()();
  }

  /** Listens and returns the port, which is another one than asked for only for port 0. */
  async listen(host: string, port: number): Promise<number> {
    this.#uncorked ??= await Uncorked.open();
    return await new Promise((resolve, reject) => {
      this.#acceptor.listen(host, port, (socket) => {
        if (socket === false) {
          reject(new Error(`cannot listen on ${host}:${port}: is the port taken?`));
          return;
        }
        this.#listening = socket;
        this.#address = { host, port: us_socket_local_port(socket) };
        resolve(this.#address.port);
      });
    });
  }

  /**
   * Reads the certificate and its key from their files once more; throws when they cannot be used. What it returns makes
   * them count for every connection that is accepted from then on. All others go on with what they have, those too whose
   * handshake is not over: the socket that listens stays the same one, so that nobody is turned away meanwhile.
   */
  prepareCertificate(): () => void {
    const { tls } = this.#options;
    assert.ok(tls !== undefined, "there is a certificate only with TLS");
    const app = secureApp(tls);
    this.#serve(app);
    return () => {
      const before = this.#tlsApps.at(-1);
      if (before !== undefined) this.#acceptor.removeChildAppDescriptor(before.getDescriptor());
      this.#acceptor.addChildAppDescriptor(app.getDescriptor());
      this.#tlsApps.push(app);
    };
  }

  /** Connections that were accepted, and that are no streams yet. uWebSockets.js closes those that ask for nothing, after 10 s. */
  get handshakes(): number {
    return this.#handshakes;
  }

  /** Takes no new connections; those that are open stay. */
  stopListening(): void {
    this.#address = undefined;
    this.#closeListening();
  }

  /**
   * As `stopListening`, until told otherwise: meanwhile new connections go to others that listen on the port, and where there
   * are none the kernel refuses them. The port must have been given by number: only then can it be listened on again while
   * connections are on it.
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
      this.#options.log.error({ host, port }, "the port cannot be listened on again");
      setTimeout(() => this.#listenAgain(), LISTEN_AGAIN_MS);
    });
  }

  #closeListening(): void {
    if (this.#listening !== undefined) us_listen_socket_close(this.#listening);
    this.#listening = undefined;
  }

  /** Closes everything at once. */
  close(): void {
    this.#address = undefined;
    this.#listening = undefined;
    for (const app of [this.#acceptor, ...this.#tlsApps]) app.close();
    this.#uncorked?.close();
  }

  #serve(app: TemplatedApp): void {
    app.filter(this.#onConnection);
    app.ws<Peer>("/stream/:token", {
      // Compression buys nothing on G.711 and costs memory and time per socket.
      compression: 0,
      maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
      maxBackpressure: SOCKET_BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      sendPingsAutomatically: true,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (ws) => {
        this.streams.add(ws);
        this.#guarded(() => onOpen(ws));
      },
      message: (ws, message, isBinary) => this.#onMessage(ws, message, isBinary),
      ping: this.#onControlFrame,
      pong: this.#onControlFrame,
      close: (ws, code, message) => {
        this.streams.delete(ws);
        this.#guarded(() => onClose(ws, code, message));
      },
    });
    // Upgrades come here too where what follows is no token at all: nothing, or more than one part.
    app.any("/stream/*", (response, request) => {
      this.#refuse(response, requesterOf(response, request), isUpgrade(request) ? 401 : 426);
    });
    app.any("/*", (response, request) => this.#refuse(response, requesterOf(response, request), 404));
  }

  /**
   * The asynchronous upgrade, in the order that uWebSockets.js demands: the abort handler first, everything of the request
   * copied before the first await, and after it nothing touched when the peer has gone meanwhile.
   */
  #upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    const requester = requesterOf(response, request);
    const token = request.getParameter(0) ?? "";
    const key = request.getHeader("sec-websocket-key");
    const extensions = request.getHeader("sec-websocket-extensions");
    const headers = signatureHeaders((name) => request.getHeader(name));
    if (!isUpgrade(request)) {
      this.#refuse(response, requester, 426);
      return;
    }
    this.#admit(token, headers)
      .then((admission) => {
        if (admission.kind === "refused") this.#refuse(response, requester, admission.status);
        else if (requester.gone) this.#abandon(admission.open);
        else {
          this.#handshakes -= 1;
          // No subprotocol is ever chosen: carriers offer none, and tolerate that.
          const controlFrames = new PerSecond(CONTROL_FRAMES_PER_SECOND_MAX);
          const peer: Peer = { open: admission.open, leg: undefined, controlFrames, violated: false };
          assert.ok(this.#uncorked !== undefined, "nobody connects before it listens");
          this.#uncorked.run(() => response.upgrade(peer, key, "", extensions, context));
        }
      })
      .catch(this.#onBug);
  }

  /**
   * Answers a moment later. uWebSockets.js would serve a request that came in one piece with this one, its body or what
   * only seems to be its body, although the connection is to be closed; before this one is answered it drops them both.
   */
  #refuse(response: HttpResponse, requester: Requester, status: RefusalStatus): void {
    // Not setImmediate: of a connection that is closed there uSockets never frees the memory (470 bytes each, measured).
    setTimeout(() => {
      if (requester.gone) return;
      const requestId = newId("req");
      this.#options.log.debug({ requestId, status }, "stream refused");
      this.#guarded(() => response.cork(() => answerRefusal(response, requester.isHead, status, requestId)));
    }, 0);
  }

  /**
   * Without a descriptor for one more connection uWebSockets.js would try again and again, with all the processor's time, and no
   * file could be opened: whoever comes before that is let in and shown out.
   */
  readonly #onConnection = (response: HttpResponse, change: number): void => {
    this.#handshakes += change;
    const { handshakesMax = () => Number.POSITIVE_INFINITY, log } = this.#options;
    if (change < 0 || this.#handshakes <= handshakesMax()) return;
    if (this.#crowdedLines.allows(systemClock.nowMs())) {
      log.warn({ handshakes: this.#handshakes }, "no descriptor is left for one more connection");
    }
    this.#guarded(() => response.close());
  };

  /** uWebSockets.js answers pings by itself, and keeps no more of its answers than a peer may leave unread. */
  readonly #onControlFrame = (ws: WebSocket<Peer>): void => {
    this.#guarded(() => {
      const peer = ws.getUserData();
      if (peer.violated || peer.controlFrames.allows(systemClock.nowMs())) return;
      peer.violated = true;
      ws.end(CLOSE_POLICY, "protocol_error");
    });
  };

  /** The frame path begins here. */
  #onMessage(ws: WebSocket<Peer>, message: ArrayBuffer, isBinary: boolean): void {
    try {
      ws.getUserData().leg?.message(new Uint8Array(message), isBinary);
    } catch (error) {
      this.#onBug(error);
    }
  }

  /** Whatever fails in admitting, the peer gets an answer. */
  async #admit(token: string, headers: SignatureHeaders): Promise<Admission> {
    try {
      return await this.#options.admit(token, headers);
    } catch (error) {
      this.#onBug(error);
      return { kind: "refused", status: 503 };
    }
  }

  /** The token was spent and its peer left before the handshake was over: the call begins and ends at once, with a record. */
  #abandon(open: Peer["open"]): void {
    this.#guarded(() => open({ send: () => true, end: () => {} }).closed(CLOSED_WITHOUT_FRAME, false));
  }

  /** uWebSockets.js ends the process on an exception in a handler, and with it every call. */
  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#onBug(error);
    }
  }

  readonly #onBug = (error: unknown): void => {
    this.#options.log.error({ err: error, code: codeOf(error), fault: "bug" }, "a socket handler failed");
  };
}

function onOpen(ws: WebSocket<Peer>): void {
  const peer = ws.getUserData();
  peer.leg = peer.open(socketOf(ws));
}

function onClose(ws: WebSocket<Peer>, code: number, message: ArrayBuffer): void {
  const { leg, violated } = ws.getUserData();
  leg?.closed(code, violated || isViolation(code, message));
}

/** 16 bytes in base64. */
const KEY_CHARS = 24;

/** RFC 6455, section 7.4.1. */
const CLOSED_WITHOUT_FRAME = 1_006;

/** uWebSockets.js drops a connection that breaks RFC 6455, or its size limit, without a close frame, and tells why in words. */
const isViolation = (code: number, message: ArrayBuffer): boolean =>
  code === CLOSED_WITHOUT_FRAME && /^Received (too big|invalid)/.test(Buffer.from(message).toString("latin1"));

/** `ws.send` says 1 for sent, 0 for sent with more waiting in front, 2 for dropped. */
const DROPPED = 2;

const socketOf = (ws: WebSocket<Peer>): LegSocket => ({
  send: (message, isBinary = false) => ws.send(message, isBinary) !== DROPPED,
  end: (code, reason) => ws.end(code, reason),
});

/** RFC 6455, section 4.2.1. A `Connection: close` must not get further: uWebSockets.js would close the socket, and go on with it. */
const isUpgrade = (request: HttpRequest): boolean =>
  /\bupgrade\b/i.test(request.getHeader("connection")) &&
  request.getHeader("sec-websocket-key").length === KEY_CHARS &&
  request.getHeader("sec-websocket-version") === "13";

function requesterOf(response: HttpResponse, request: HttpRequest): Requester {
  const requester = { isHead: request.getMethod() === "head", gone: false };
  response.onAborted(() => {
    requester.gone = true;
  });
  return requester;
}

/** SSLApp's own error says nothing of why, but that is looked for in the files before. */
function secureApp({ certFile, keyFile }: CertificateFiles): TemplatedApp {
  try {
    return SSLApp({ cert_file_name: certFile, key_file_name: keyFile });
  } catch (error) {
    throw unavailable(`TLS cannot be served with ${certFile} and ${keyFile}`, error);
  }
}

/** In the one shape that the control API's errors have. */
function answerRefusal(response: HttpResponse, isHead: boolean, status: RefusalStatus, requestId: string): void {
  const { status: statusLine, code, message } = REFUSALS[status];
  response.writeStatus(statusLine);
  response.writeHeader("Content-Type", "application/json; charset=utf-8");
  response.writeHeader("Cache-Control", "no-store");
  response.writeHeader("X-Request-Id", requestId);
  if (status === 426) response.writeHeader("Upgrade", "websocket");
  if (status === 503) response.writeHeader("Retry-After", "1");
  const body = JSON.stringify({ error: { code, message, details: [], requestId } });
  if (isHead) response.endWithoutBody(Buffer.byteLength(body), true);
  else response.end(body, true);
}
