import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { connect as connectSocket, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { head } from "./raw-http.ts";

/** RFC 6455, section 11.8. */
export const OPCODE = { continuation: 0x0, text: 0x1, binary: 0x2, close: 0x8, ping: 0x9, pong: 0xa } as const;

/** What the server answered to the upgrade, or to any other HTTP request. Header names are lower case. */
export interface HttpAnswer {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string;
}

export interface Frame {
  fin: boolean;
  /** The three reserved bits, RSV1 the highest: 0 to 7. */
  rsv: number;
  opcode: number;
  payload: Buffer;
}

/** A frame to send. Everything a client must not do can be asked for. */
export interface FrameToSend {
  opcode: number;
  payload?: Uint8Array | string;
  fin?: boolean;
  rsv?: number;
  masked?: boolean;
  /** The length the header claims, whatever the payload's is; it is then written in 64 bits. */
  claimedBytes?: bigint;
}

/**
 * The head of a request for the upgrade of `path`, as RFC 6455 section 4.1 has it; `headers` replace the usual ones, undefined leaves
 * one out.
 */
export const upgradeRequest = (
  host: string,
  path: string,
  headers: Readonly<Record<string, string | undefined>> = {},
): string =>
  head(`GET ${path}`, {
    Host: host,
    Upgrade: "websocket",
    Connection: "Upgrade",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"),
    "Sec-WebSocket-Version": "13",
    ...headers,
  });

/**
 * A WebSocket client on a plain TCP socket that sends what it is given, legal or not: it sends any frame, half-closes and
 * resets, and answers nothing by itself, neither pings nor closes. Reading never fails: a connection that is gone gives
 * undefined.
 */
export class RawWs {
  readonly #socket: Socket;
  readonly #closed: Promise<void>;
  #received: Buffer = Buffer.alloc(0);
  #ended = false;
  #wake = (): void => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (data: Buffer) => {
      this.#received = Buffer.concat([this.#received, data]);
      this.#wake();
    });
    // A reset is one of the ways in which a server may end the connection; `close` follows it.
    socket.on("error", () => {});
    socket.on("end", () => this.#end());
    this.#closed = new Promise((resolve) => {
      socket.on("close", () => {
        this.#end();
        resolve();
      });
    });
  }

  /**
   * A TCP connection to the host and port of `url`, on which nothing has been said yet; for `wss` under TLS, with whatever
   * certificate there is. The server's FIN is not answered.
   */
  static async connect(url: string): Promise<RawWs> {
    const { protocol, hostname, port } = new URL(url);
    const options = { host: hostname, port: Number(port), allowHalfOpen: true };
    if (protocol === "wss:") {
      const socket = connectTls({ ...options, rejectUnauthorized: false, ALPNProtocols: ["http/1.1"] });
      await once(socket, "secureConnect");
      return new RawWs(socket);
    }
    const socket = connectSocket(options);
    await once(socket, "connect");
    return new RawWs(socket);
  }

  /** The server has ended its side, or the connection is gone. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Resolves when both sides are closed. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Writes bytes as they are. */
  write(bytes: Uint8Array | string): void {
    this.#socket.write(bytes);
  }

  /** Asks for the upgrade of `path`; see `upgradeRequest`. */
  sendUpgrade(path: string, headers: Readonly<Record<string, string | undefined>> = {}): void {
    this.write(upgradeRequest(`${this.#socket.remoteAddress}:${this.#socket.remotePort}`, path, headers));
  }

  /** `sendUpgrade` and the answer to it. */
  upgrade(path: string, headers?: Readonly<Record<string, string | undefined>>): Promise<HttpAnswer | undefined> {
    this.sendUpgrade(path, headers);
    return this.readHttp();
  }

  /** The next HTTP answer, its body by Content-Length; undefined when the connection ended without a whole one. */
  async readHttp(): Promise<HttpAnswer | undefined> {
    const headBytes = await this.#until(() => {
      const end = this.#received.indexOf("\r\n\r\n");
      return end < 0 ? undefined : end + 4;
    });
    if (headBytes === undefined) return undefined;
    const [statusLine = "", ...lines] = this.#take(headBytes).toString("latin1").trimEnd().split("\r\n");
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
    );
    const body = await this.#read(Number(headers["content-length"] ?? 0));
    if (body === undefined) return undefined;
    return { status: Number(statusLine.split(" ")[1]), headers, body: body.toString("utf8") };
  }

  /** Sends one frame, by default legal: final, masked, without reserved bits. */
  sendFrame(frame: FrameToSend): void {
    this.write(encodeFrame(frame));
  }

  sendText(text: string): void {
    this.sendFrame({ opcode: OPCODE.text, payload: text });
  }

  sendBinary(bytes: Uint8Array): void {
    this.sendFrame({ opcode: OPCODE.binary, payload: bytes });
  }

  /** Sends a close frame; without a code it is empty. */
  sendClose(code?: number): void {
    const payload = Buffer.alloc(code === undefined ? 0 : 2);
    if (code !== undefined) payload.writeUInt16BE(code);
    this.sendFrame({ opcode: OPCODE.close, payload });
  }

  /** The server's next frame; undefined when the connection ended before a whole one came. */
  async readFrame(): Promise<Frame | undefined> {
    const head = await this.#read(2);
    if (head === undefined) return undefined;
    const [first = 0, second = 0] = head;
    const extraBytes = (second & 0x7f) === 127 ? 8 : (second & 0x7f) === 126 ? 2 : 0;
    const extra = await this.#read(extraBytes);
    if (extra === undefined) return undefined;
    const bytes = extraBytes === 0 ? second & 0x7f : Number.parseInt(extra.toString("hex"), 16);
    const payload = await this.#read(bytes);
    return payload && { fin: first >= 0x80, rsv: (first >> 4) & 0x7, opcode: first & 0xf, payload };
  }

  /** Reads until the connection ends and returns the code of the close frame that came before that, if one did. */
  async readCloseCode(): Promise<number | undefined> {
    let code: number | undefined;
    for (let frame = await this.readFrame(); frame !== undefined; frame = await this.readFrame()) {
      if (frame.opcode === OPCODE.close && frame.payload.length >= 2) code = frame.payload.readUInt16BE(0);
    }
    return code;
  }

  /** Reads until the connection ends, and answers each ping. */
  async answerPings(): Promise<void> {
    for (let frame = await this.readFrame(); frame !== undefined; frame = await this.readFrame()) {
      if (frame.opcode === OPCODE.ping) this.sendFrame({ opcode: OPCODE.pong, payload: frame.payload });
    }
  }

  /** Reads nothing any more: what the server sends fills its buffers and ours. */
  stopReading(): void {
    this.#socket.pause();
  }

  /** Reads again, from where it stopped. */
  readOn(): void {
    this.#socket.resume();
  }

  /** Sends FIN and goes on reading. */
  halfClose(): void {
    this.#socket.end();
  }

  /** Sends RST. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /** Ends the connection without a close frame. */
  destroy(): void {
    this.#socket.destroy();
  }

  #end(): void {
    this.#ended = true;
    this.#wake();
  }

  async #read(bytes: number): Promise<Buffer | undefined> {
    const ready = await this.#until(() => (this.#received.length >= bytes ? bytes : undefined));
    return ready === undefined ? undefined : this.#take(ready);
  }

  #take(bytes: number): Buffer {
    const taken = this.#received.subarray(0, bytes);
    this.#received = this.#received.subarray(bytes);
    return taken;
  }

  /** Waits until `found` finds something in what was received; undefined when the connection ends before that. */
  async #until<T>(found: () => T | undefined): Promise<T | undefined> {
    for (let result = found(); ; result = found()) {
      if (result !== undefined || this.#ended) return result;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/** What a server must answer to a key: RFC 6455, section 4.2.2. */
export const acceptOf = (key: string): string =>
  createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");

/** One frame as a client sends it. */
export function encodeFrame({
  opcode,
  payload = "",
  fin = true,
  rsv = 0,
  masked = true,
  claimedBytes,
}: FrameToSend): Buffer {
  const body = Buffer.from(payload);
  const head = Buffer.alloc(10);
  head[0] = (fin ? 0x80 : 0) | (rsv << 4) | opcode;
  let headBytes = 2;
  if (claimedBytes !== undefined || body.length > 0xffff) {
    head[1] = 127;
    head.writeBigUInt64BE(claimedBytes ?? BigInt(body.length), 2);
    headBytes = 10;
  } else if (body.length > 125) {
    head[1] = 126;
    head.writeUInt16BE(body.length, 2);
    headBytes = 4;
  } else {
    head[1] = body.length;
  }
  if (!masked) return Buffer.concat([head.subarray(0, headBytes), body]);
  head[1] |= 0x80;
  const mask = randomBytes(4);
  for (let i = 0; i < body.length; i += 1) body[i] = (body[i] as number) ^ (mask[i % 4] as number);
  return Buffer.concat([head.subarray(0, headBytes), mask, body]);
}
