import {
  App,
  type HttpRequest,
  type HttpResponse,
  type us_listen_socket,
  us_listen_socket_close,
  type us_socket_context_t,
  us_socket_local_port,
  type WebSocket,
} from "uWebSockets.js";
import { codeOf } from "../core/errors.ts";
import { SOCKET_BACKPRESSURE_BYTES_MAX, SOCKET_IDLE_S, SOCKET_PAYLOAD_BYTES_MAX } from "../core/limits.ts";
import type { Logger } from "../core/log.ts";
import type { LegSocket } from "./connection.ts";

/** What a socket's messages go to. */
export interface Leg {
  /** The bytes are only valid until this returns. */
  message(bytes: Uint8Array, isBinary: boolean): void;
  /** The socket is gone; `code` is the close frame's, 1006 where there was none: the peer vanished, or `violated` the framing. */
  closed(code: number, violated: boolean): void;
}

/** The answer to a token: a place for its socket, or the refusal with its HTTP status. */
export type Admission = { kind: "admitted"; open(socket: LegSocket): Leg } | { kind: "refused"; status: 401 | 503 };

export interface MediaServerOptions {
  /** Redeems the token of `/stream/{token}`. Allocates nothing for tokens that are no good. */
  admit(token: string): Promise<Admission>;
  log: Logger;
}

interface Peer {
  open: (socket: LegSocket) => Leg;
  leg: Leg | undefined;
}

const REFUSALS: Readonly<Record<number, { status: string; code: string; message: string }>> = {
  401: { status: "401 Unauthorized", code: "unauthorized", message: "the stream token is not valid" },
  404: { status: "404 Not Found", code: "not_found", message: "there is nothing here but /stream/{token}" },
  426: {
    status: "426 Upgrade Required",
    code: "upgrade_required",
    message: "this address speaks WebSocket, version 13",
  },
  503: { status: "503 Service Unavailable", code: "unavailable", message: "no new streams can be taken now" },
};

/** The media plane's socket server, and the only file that knows uWebSockets.js. */
export class MediaServer {
  readonly #app = App();
  readonly #options: MediaServerOptions;
  #listening: us_listen_socket | undefined;

  constructor(options: MediaServerOptions) {
    this.#options = options;
    this.#app.ws<Peer>("/stream/:token", {
      // Compression buys nothing on G.711 and costs memory and time per socket.
      compression: 0,
      maxPayloadLength: SOCKET_PAYLOAD_BYTES_MAX,
      maxBackpressure: SOCKET_BACKPRESSURE_BYTES_MAX,
      idleTimeout: SOCKET_IDLE_S,
      sendPingsAutomatically: true,
      upgrade: (response, request, context) => this.#upgrade(response, request, context),
      open: (ws) => this.#guarded(() => onOpen(ws)),
      message: (ws, message, isBinary) => this.#onMessage(ws, message, isBinary),
      close: (ws, code, message) => this.#guarded(() => ws.getUserData().leg?.closed(code, isViolation(code, message))),
    });
    this.#app.any("/stream/*", (response) => refuse(response, 426));
    this.#app.any("/*", (response) => refuse(response, 404));
  }

  /** Listens and returns the port, which is another one than asked for only for port 0. */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#app.listen(host, port, (socket) => {
        if (socket === false) {
          reject(new Error(`cannot listen on ${host}:${port}: is the port taken?`));
          return;
        }
        this.#listening = socket;
        resolve(us_socket_local_port(socket));
      });
    });
  }

  /** Takes no new connections; those that are open stay. */
  stopListening(): void {
    if (this.#listening !== undefined) us_listen_socket_close(this.#listening);
    this.#listening = undefined;
  }

  /** Closes everything at once. */
  close(): void {
    this.#listening = undefined;
    this.#app.close();
  }

  /**
   * The asynchronous upgrade, in the order that uWebSockets.js demands: the abort handler first, everything of the request
   * copied before the first await, and after it nothing touched when the peer has gone meanwhile.
   */
  #upgrade(response: HttpResponse, request: HttpRequest, context: us_socket_context_t): void {
    let gone = false;
    response.onAborted(() => {
      gone = true;
    });
    const token = request.getParameter(0) ?? "";
    const key = request.getHeader("sec-websocket-key");
    const extensions = request.getHeader("sec-websocket-extensions");
    const version = request.getHeader("sec-websocket-version");
    if (version !== "13") {
      refuse(response, 426);
      return;
    }
    this.#admit(token)
      .then((admission) => {
        if (gone) {
          if (admission.kind === "admitted") this.#abandon(admission.open);
          return;
        }
        response.cork(() => {
          // No subprotocol is ever chosen: carriers offer none, and tolerate that.
          if (admission.kind === "refused") refuse(response, admission.status);
          else response.upgrade<Peer>({ open: admission.open, leg: undefined }, key, "", extensions, context);
        });
      })
      .catch(this.#onBug);
  }

  /** The frame path begins here. */
  #onMessage(ws: WebSocket<Peer>, message: ArrayBuffer, isBinary: boolean): void {
    try {
      ws.getUserData().leg?.message(new Uint8Array(message), isBinary);
    } catch (error) {
      this.#onBug(error);
    }
  }

  /** Whatever fails in admitting, the peer gets an answer. */
  async #admit(token: string): Promise<Admission> {
    try {
      return await this.#options.admit(token);
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
  peer.leg = peer.open(new UwsSocket(ws));
}

/** RFC 6455, section 7.4.1. */
const CLOSED_WITHOUT_FRAME = 1_006;

/** uWebSockets.js drops a connection that breaks RFC 6455, or its size limit, without a close frame, and tells why in words. */
const isViolation = (code: number, message: ArrayBuffer): boolean =>
  code === CLOSED_WITHOUT_FRAME && /^Received (too big|invalid)/.test(Buffer.from(message).toString("latin1"));

/** `ws.send` says 1 for sent, 0 for sent with more waiting in front, 2 for dropped. */
const DROPPED = 2;

class UwsSocket implements LegSocket {
  readonly #ws: WebSocket<Peer>;

  constructor(ws: WebSocket<Peer>) {
    this.#ws = ws;
  }

  send(message: Uint8Array | string): boolean {
    return this.#ws.send(message, false) !== DROPPED;
  }

  end(code: number, reason: string): void {
    this.#ws.end(code, reason);
  }
}

function refuse(response: HttpResponse, status: 401 | 404 | 426 | 503): void {
  const refusal = REFUSALS[status];
  if (refusal === undefined) return;
  response.writeStatus(refusal.status);
  response.writeHeader("Content-Type", "application/json; charset=utf-8");
  if (status === 426) response.writeHeader("Upgrade", "websocket");
  if (status === 503) response.writeHeader("Retry-After", "1");
  response.end(JSON.stringify({ error: { code: refusal.code, message: refusal.message } }), true);
}
