import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { SOCKET_BACKPRESSURE_BYTES_MAX } from "../../core/limits/streams/connections.ts";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import type { Admission } from "../server/media-server.ts";
import { CLOSED_WITHOUT_FRAME } from "../transport/close-codes.ts";
import type { LivenessOptions } from "../transport/liveness.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import { encodeClose, encodeFrame, readAsk, readClosed, readFrames } from "./relay-frames.ts";

export interface RelayServerOptions {
  /**
   * Uses up the token of a resumption, whose upgrade had these headers; undefined where it is of no call of this process, or its
   * peer has not proved to be the call's carrier. Rejects where that cannot be found out.
   */
  resume: (token: string, headers: UpgradeHeaders) => Promise<(Admission & { kind: "admitted" }) | undefined>;
  liveness: LivenessOptions;
}

/**
 * Takes resumptions of this worker's calls from the other workers of the port, which clients may reach instead: a worker
 * that is full, or that another one replaces, accepts no connections itself. See `OtherWorkers`.
 */
export class RelayServer {
  readonly #options: RelayServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: RelayServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** `bind` starts to listen. Resolves when other workers can connect; rejects with the system's error. */
  async listen(bind: (server: Server) => void): Promise<void> {
    const listening = once(this.#server, "listening");
    bind(this.#server);
    await listening;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    let admission: (Admission & { kind: "admitted" }) | undefined;
    let listener: TransportListener | undefined;
    let isClosed = false;
    const open = (): TransportListener | undefined => {
      listener ??= admission?.open(new RelayedTransport(socket, this.#options.liveness));
      return listener;
    };
    const answer = async (payload: Buffer): Promise<void> => {
      const { token, headers } = readAsk(payload);
      admission = await this.#options.resume(token, headers).catch(() => undefined);
      if (isClosed) open()?.closed(CLOSED_WITHOUT_FRAME, false);
      else socket.write(encodeFrame(admission === undefined ? "refused" : "accepted"));
    };
    this.#sockets.add(socket);
    socket.on("error", () => {});
    readFrames(socket, (kind, payload) => {
      if (kind === "ask") void answer(payload);
      else if (kind === "opened") open();
      else if (kind === "text" || kind === "binary") listener?.message(payload, kind === "binary");
      else if (kind === "ping") listener?.pinged();
      else if (kind === "pong") listener?.ponged();
      else if (kind === "closed") {
        const { code, violated } = readClosed(payload);
        const closing = listener;
        listener = undefined;
        admission = undefined;
        closing?.closed(code, violated);
      }
    });
    socket.on("close", () => {
      this.#sockets.delete(socket);
      isClosed = true;
      // Every admission is opened, so that the call notices that its client did not come.
      open()?.closed(CLOSED_WITHOUT_FRAME, false);
    });
  }
}

/** A client's connection to another worker. */
class RelayedTransport implements Transport {
  readonly liveness: LivenessOptions;
  readonly #socket: Socket;

  constructor(socket: Socket, liveness: LivenessOptions) {
    this.#socket = socket;
    this.liveness = liveness;
  }

  get bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  send(message: Uint8Array | string, isBinary = false): boolean {
    if (this.#socket.writableLength > SOCKET_BACKPRESSURE_BYTES_MAX) return false;
    this.#write(encodeFrame(isBinary ? "binary" : "text", message));
    return true;
  }

  ping(): void {
    this.#write(encodeFrame("ping"));
  }

  close(code: number, reason: string): void {
    this.#write(encodeClose(code, reason));
  }

  #write(frame: Buffer): void {
    if (this.#socket.writable) this.#socket.write(frame);
  }
}
