import { Socket } from "node:net";
import type { Clock } from "../../core/clock.ts";
import {
  RELAY_ANSWER_MS_MAX,
  RELAYED_CONNECTIONS_MAX,
  SOCKET_BACKPRESSURE_BYTES_MAX,
} from "../../core/limits/streams/connections.ts";
import type { UpgradeHeaders } from "../../wire/upgrade.ts";
import { CLOSE_INTERNAL_ERROR, CLOSE_NORMAL, DETACHED } from "../transport/close-codes.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";
import { encodeAsk, encodeClosed, encodeFrame, type FrameKind, readClose, readFrames } from "./relay-frames.ts";

export interface OtherWorkersOptions {
  /** Connects a socket to the `RelayServer` of the worker with this tag. May throw; otherwise the socket emits errors. */
  connect: (socket: Socket, workerTag: string) => void;
  clock: Pick<Clock, "after">;
}

/** A resumption that another worker has accepted. It must be opened exactly once. */
export interface AcceptedElsewhere {
  open(transport: Transport): TransportListener;
}

/**
 * The other workers of the service, some of whose calls are resumed through this one: the kernel gives a client's
 * connection to any worker of the port. The messages of such a connection pass through here for as long as it lasts. The
 * worker of the call sees a transport like any other.
 */
export class OtherWorkers {
  readonly #options: OtherWorkersOptions;
  #connections = 0;

  constructor(options: OtherWorkersOptions) {
    this.#options = options;
  }

  /**
   * Asks the worker with this tag for the call of a token, for an upgrade with these headers; undefined where it has none, does not
   * accept it, or does not answer. A client for which more than `bufferedBytesMax` wait is given up. Never rejects.
   */
  async ask(
    workerTag: string,
    token: string,
    headers: UpgradeHeaders,
    bufferedBytesMax = Number.POSITIVE_INFINITY,
  ): Promise<AcceptedElsewhere | undefined> {
    if (this.#connections >= RELAYED_CONNECTIONS_MAX) return undefined;
    const socket = new Socket();
    this.#connections += 1;
    socket.once("close", () => {
      this.#connections -= 1;
    });
    socket.on("error", () => {});
    const relay = new Relay(socket, bufferedBytesMax);
    const cancel = this.#options.clock.after(RELAY_ANSWER_MS_MAX, () => socket.destroy());
    try {
      this.#options.connect(socket, workerTag);
      socket.write(encodeAsk(token, headers));
    } catch {
      socket.destroy();
    }
    const isAccepted = await relay.answered;
    cancel();
    if (isAccepted) return relay;
    socket.destroy();
    return undefined;
  }
}

/** One connection, between a client's transport here and the worker of its call. */
class Relay implements AcceptedElsewhere {
  /** Whether the other worker has accepted it; false, too, where the socket is closed. */
  readonly answered: Promise<boolean>;
  readonly #socket: Socket;
  readonly #bufferedBytesMax: number;
  #transport: Transport | undefined;

  constructor(socket: Socket, bufferedBytesMax: number) {
    this.#socket = socket;
    this.#bufferedBytesMax = bufferedBytesMax;
    this.answered = new Promise((resolve) => {
      readFrames(socket, (kind, payload) => {
        if (kind === "accepted" || kind === "refused") resolve(kind === "accepted");
        else this.#take(kind, payload);
      });
      socket.once("close", () => {
        resolve(false);
        // The worker of the call has died.
        this.#close(CLOSE_INTERNAL_ERROR, "worker_lost");
      });
    });
  }

  open(transport: Transport): TransportListener {
    this.#transport = transport;
    this.#write(encodeFrame("opened"));
    return {
      message: (bytes, isBinary) => this.#write(encodeFrame(isBinary ? "binary" : "text", bytes)),
      pinged: () => this.#write(encodeFrame("ping")),
      ponged: () => this.#write(encodeFrame("pong")),
      closed: (code, violated) => {
        this.#transport = undefined;
        this.#socket.end(encodeClosed(code, violated));
      },
    };
  }

  #take(kind: FrameKind, payload: Buffer): void {
    if (kind === "ping") this.#transport?.ping();
    else if (kind === "close") {
      const { code, reason } = readClose(payload);
      this.#close(code, reason);
    } else if (kind === "text" || kind === "binary") {
      const message = kind === "text" ? payload.toString() : payload;
      const transport = this.#transport;
      if (transport === undefined) return;
      // The client reads too slowly.
      if (!transport.send(message, kind === "binary") || transport.bufferedBytes > this.#bufferedBytesMax)
        this.#giveUp();
    }
  }

  #write(frame: Buffer): void {
    if (!this.#socket.writable) return;
    // The other worker does not keep up.
    if (this.#socket.writableLength > SOCKET_BACKPRESSURE_BYTES_MAX) this.#giveUp();
    else this.#socket.write(frame);
  }

  /** For the worker of the call the connection is lost, and the client may come back. */
  #giveUp(): void {
    this.#socket.destroy();
    this.#close(CLOSE_NORMAL, DETACHED);
  }

  /** Closes the client's connection, whose listener then closes the socket. */
  #close(code: number, reason: string): void {
    const transport = this.#transport;
    this.#transport = undefined;
    transport?.close(code, reason);
  }
}
