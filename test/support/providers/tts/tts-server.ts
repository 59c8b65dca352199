import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { type WebSocket, WebSocketServer } from "ws";

/** A fault of a provider, independent of its protocol. */
export type TtsFault =
  /** Accepts the connection and sends nothing, except pings if `pings`. */
  | { kind: "silent"; pings?: boolean }
  /** Answers the handshake or the request with a status. */
  | { kind: "status"; status: number; headers?: Readonly<Record<string, string>> }
  /** Closes after this many messages of audio. */
  | { kind: "closes"; afterChunks: number; code: number }
  /** Sends nothing more after this many messages of audio. */
  | { kind: "hangs"; afterChunks: number }
  /** Sends this message instead of its own. */
  | { kind: "message"; data: string | Buffer }
  /** Sends these bytes as its audio. */
  | { kind: "audio"; bytes: Buffer }
  /** Answers a handshake with an extension that was not requested. */
  | { kind: "bad-extension" };

export interface TtsServerOptions {
  /** Time from a request to its first audio, and between messages of audio. */
  firstMs?: number;
  perChunkMs?: number;
  /** Duration of the audio in one message. */
  chunkMs?: number;
  fault?: TtsFault;
}

/** One connection as the provider saw it. */
interface ReceivedTtsConnection {
  path: string;
  headers: IncomingMessage["headers"];
  messages: Readonly<Record<string, unknown>>[];
  /** Bytes that it has sent and the client has not read. */
  unsentBytes: () => number;
  /** Resolves when it is closed. */
  closed: Promise<unknown>;
}

/** One HTTP request as the provider saw it. */
export interface ReceivedTtsRequest {
  method: string;
  url: URL;
  headers: IncomingMessage["headers"];
  body: string;
  closed: Promise<unknown>;
}

/** A provider's server on loopback: HTTP for lists and files, and WebSockets. */
export abstract class TtsServer {
  readonly connections: ReceivedTtsConnection[] = [];
  readonly requests: ReceivedTtsRequest[] = [];
  /** How many sockets were opened. */
  sockets = 0;
  protected readonly options: Required<Omit<TtsServerOptions, "fault">> & Pick<TtsServerOptions, "fault">;
  readonly #server: Server;
  readonly #sockets = new WebSocketServer({ noServer: true });

  constructor(options: TtsServerOptions) {
    this.options = { firstMs: 0, perChunkMs: 0, chunkMs: 250, ...options };
    this.#server = createServer((request, response) => void this.#onRequest(request, response));
    this.#server.on("connection", () => {
      this.sockets += 1;
    });
    this.#server.on("upgrade", (request, socket, head) => this.#onUpgrade(request, socket, head));
  }

  async listen(): Promise<this> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return this;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every open connection. */
  hangUp(): void {
    for (const socket of this.#sockets.clients) socket.terminate();
    this.#server.closeAllConnections();
  }

  async close(): Promise<void> {
    this.hangUp();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Called for each message on a connection. */
  protected abstract onMessage(socket: WebSocket, message: Readonly<Record<string, unknown>>, path: string): void;
  protected abstract onHttp(request: ReceivedTtsRequest, response: ServerResponse): void;

  /** Sends the messages with the configured delays, until they end or the fault applies. */
  protected async deliver(socket: WebSocket, messages: readonly object[]): Promise<void> {
    const { firstMs, perChunkMs, fault } = this.options;
    if (fault?.kind === "silent") {
      if (fault.pings === true) socket.ping();
      return;
    }
    for (const [index, message] of messages.entries()) {
      const waitMs = index === 0 ? firstMs : perChunkMs;
      if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      if (socket.readyState !== socket.OPEN) return;
      if (fault?.kind === "message") {
        socket.send(fault.data);
        return;
      }
      if ((fault?.kind === "closes" || fault?.kind === "hangs") && index === fault.afterChunks) {
        if (fault.kind === "closes") socket.close(fault.code, "what was said stands here");
        return;
      }
      socket.send(JSON.stringify(message));
    }
  }

  /** Splits `bytes` into the parts that are sent. */
  protected parts(bytes: Buffer, bytesPerMs: number): Buffer[] {
    const partBytes = this.options.chunkMs * bytesPerMs;
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length; at += partBytes) parts.push(bytes.subarray(at, at + partBytes));
    return parts;
  }

  async #onRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === "GET" && request.url === "/v1") {
      response.writeHead(404).end();
      return;
    }
    const closed = once(response, "close");
    let body = "";
    for await (const part of request) body += String(part);
    const url = new URL(request.url ?? "/", this.url);
    const seen = { method: request.method ?? "", url, headers: request.headers, body, closed };
    this.requests.push(seen);
    const { fault } = this.options;
    if (fault?.kind === "status") response.writeHead(fault.status, fault.headers).end("what was asked stands here");
    else if (fault?.kind !== "silent") this.onHttp(seen, response);
  }

  #onUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { fault } = this.options;
    if (fault?.kind === "status") {
      const headers = Object.entries(fault.headers ?? {}).map(([name, value]) => `${name}: ${value}\r\n`);
      socket.end(`HTTP/1.1 ${fault.status} No\r\n${headers.join("")}content-length: 0\r\n\r\n`);
      return;
    }
    if (fault?.kind === "bad-extension") {
      this.#sockets.once("headers", (lines: string[]) => {
        lines.push("Sec-WebSocket-Extensions: permessage-deflate; server_max_window_bits=99");
      });
    }
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      const closed = once(webSocket, "close");
      const { url: path = "", headers } = request;
      const unsentBytes = (): number => webSocket.bufferedAmount;
      const seen: ReceivedTtsConnection = { path, headers, messages: [], unsentBytes, closed };
      this.connections.push(seen);
      webSocket.on("error", () => {});
      webSocket.on("message", (data) => {
        const message = JSON.parse(String(data)) as Readonly<Record<string, unknown>>;
        seen.messages.push(message);
        this.onMessage(webSocket, message, seen.path);
      });
    });
  }
}
