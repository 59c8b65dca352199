import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Clock } from "../../../core/clock.ts";
import { HANDSHAKE_MS_MAX } from "../../../core/limits/streams/connections.ts";
import type { Refusal } from "../upgrade.ts";

/**
 * How long a connection may take to end after its last bytes were sent: closing it earlier would reset it and lose
 * them.
 */
export const LINGER_MS = 1_000;

/** The status for each error code of Node's HTTP parser; 400 for any other. */
const STATUS_BY_PARSE_ERROR: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  HPE_INVALID_VERSION: "505 HTTP Version Not Supported",
  HPE_PAUSED_H2_UPGRADE: "505 HTTP Version Not Supported",
};

/**
 * A connection from its first byte until it is a stream or closed: one request and one response within
 * HANDSHAKE_MS_MAX.
 */
export class WsHandshake {
  readonly #socket: Duplex;
  readonly #clock: Clock;
  #state: "silent" | "waiting" | "answered" = "silent";
  #cancelDeadline: () => void;

  constructor(socket: Duplex, clock: Clock) {
    this.#socket = socket;
    this.#clock = clock;
    this.#cancelDeadline = clock.after(HANDSHAKE_MS_MAX, () => socket.destroy());
  }

  /** Its request was read, and has no response yet. */
  get isWaiting(): boolean {
    return this.#state === "waiting" && !this.#socket.destroyed;
  }

  /**
   * A request was read, followed by `head`. False when it must not be served: a pipelined request drops the connection,
   * and a request that is not valid HTTP/1.1 is refused here.
   */
  begin({ httpVersion, rawHeaders }: IncomingMessage, head: Buffer, headersMax: number): boolean {
    if (this.#state === "answered") return false;
    if (this.#state === "waiting" || head.length > 0) {
      this.#socket.destroy();
      return false;
    }
    this.#state = "waiting";
    if (httpVersion !== "1.1") this.#answer("505 HTTP Version Not Supported");
    else if (rawHeaders.length / 2 > headersMax) this.#answer("431 Request Header Fields Too Large");
    else if (hostsIn(rawHeaders) !== 1) this.#answer("400 Bad Request");
    return this.#state === "waiting";
  }

  /** Node could not read the request. A broken connection gets no response. */
  fail(error: Error): void {
    const code = "code" in error ? String(error.code) : "";
    if (this.#state === "answered") return;
    if (code.startsWith("HPE_")) this.#answer(STATUS_BY_PARSE_ERROR[code] ?? "400 Bad Request");
    else this.#socket.destroy();
  }

  refuse({ statusLine, headers, body }: Refusal, isHead: boolean): void {
    const lines = [...headers, ["Content-Length", String(Buffer.byteLength(body))]].map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    this.#answer(statusLine, lines.join(""), isHead ? "" : body);
  }

  /** Sends a response; everything the peer sends after it is read and discarded. */
  #answer(statusLine: string, headers = "Content-Length: 0\r\n", body = ""): void {
    this.#state = "answered";
    this.#cancelDeadline();
    this.#cancelDeadline = this.#clock.after(LINGER_MS, () => this.#socket.destroy());
    this.#socket.end(`HTTP/1.1 ${statusLine}\r\nConnection: close\r\n${headers}\r\n${body}`);
    this.#socket.resume();
  }

  /** The connection has become a stream, or is closed. */
  finish(): void {
    this.#cancelDeadline();
  }
}

/** The number of Host headers of a request: RFC 9112, section 3.2, requires exactly one. */
const hostsIn = (rawHeaders: readonly string[]): number =>
  rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host").length;
