import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { Clock } from "../../../core/clock.ts";
import type { MonotonicMs } from "../../../core/clocks.ts";
import {
  CONTROL_FRAMES_PER_SECOND_MAX,
  FRAMING_BYTES_BURST_MAX,
  FRAMING_BYTES_PER_SECOND_MAX,
  SOCKET_BACKPRESSURE_BYTES_MAX,
} from "../../../core/limits/streams/connections.ts";
import { FixedWindowLimiter } from "../../rate-limits/fixed-window.ts";
import {
  CLOSE_INTERNAL_ERROR,
  CLOSE_POLICY_VIOLATION,
  CLOSED_WITHOUT_CODE,
  CLOSED_WITHOUT_FRAME,
} from "../../transport/close-codes.ts";
import type { LivenessOptions } from "../../transport/liveness.ts";
import type { Transport, TransportListener } from "../../transport/transport.ts";
import type { AdmittedStream } from "../upgrade.ts";
import { FramingBudget } from "./framing-budget.ts";
import { LINGER_MS } from "./handshake.ts";

/** A WebSocket that reports when it begins to close; ws itself reports only that the connection is closed. */
export class ClosingWebSocket extends WebSocket {
  /** Called once, when the first close frame was received or is being sent, with its code; 1005 when it has none. */
  onClosing: (code: number) => void = () => {};

  override close(code?: number, reason?: string | Buffer): void {
    const wasOpen = this.readyState === WebSocket.OPEN;
    super.close(code, reason);
    if (wasOpen) this.onClosing(code ?? CLOSED_WITHOUT_CODE);
  }
}

/** RFC 6455, section 5.2: the longest head of a client's frame, and of a control frame. */
const HEAD_BYTES_MAX = 14;
const CONTROL_HEAD_BYTES = 6;

const TEXT = { binary: false, compress: false };
const BINARY = { binary: true, compress: false };

export interface WsTransportOptions {
  ws: ClosingWebSocket;
  /** The connection that `ws` writes to. */
  socket: Duplex;
  liveness: LivenessOptions;
  clock: Clock;
  onBug: (error: unknown) => void;
  /** Called once, when the stream ends for its listener. Sent bytes may still be in flight. */
  onClosed: (stream: WsTransport) => void;
}

/** One WebSocket of ws, and what listens to it. */
export class WsTransport implements Transport {
  readonly liveness: LivenessOptions;
  readonly #options: WsTransportOptions;
  readonly #controlFrames = new FixedWindowLimiter<MonotonicMs>(CONTROL_FRAMES_PER_SECOND_MAX);
  readonly #framing = new FramingBudget({ max: FRAMING_BYTES_BURST_MAX, perSecond: FRAMING_BYTES_PER_SECOND_MAX });
  #listener: TransportListener | undefined;
  #isClosed = false;

  constructor(options: WsTransportOptions) {
    this.#options = options;
    this.liveness = options.liveness;
    const { ws, socket, clock } = options;
    // Runs before ws: bytes beyond the budget are not parsed any more.
    socket.prependListener("data", (bytes: Buffer) => {
      if (!this.#framing.received(bytes.length, clock.nowMs())) this.#violated();
    });
    ws.on("message", (data: Buffer, isBinary) => this.#onMessage(data, isBinary));
    ws.on("ping", (data: Buffer) => {
      if (this.#onControlFrame("pinged", data)) this.#pong(data);
    });
    ws.on("pong", (data: Buffer) => this.#onControlFrame("ponged", data));
    // ws has sent its close frame and reads no more; the FIN follows.
    ws.on("error", (error) => {
      const isViolation = "code" in error && String(error.code).startsWith("WS_ERR_");
      this.#closed(CLOSED_WITHOUT_FRAME, isViolation);
      options.socket.end();
    });
    ws.on("close", (code) => this.#closed(code, false));
    // After a protocol violation ws closes first and emits `error` next: the microtask lets `error` report the violation.
    ws.onClosing = (code) => queueMicrotask(() => this.#closed(code, false));
  }

  /** Opens the call; if that fails, the stream is closed with CLOSE_INTERNAL_ERROR. */
  open(admitted: AdmittedStream): void {
    try {
      this.#listener = admitted.open(this);
    } catch (error) {
      this.#options.onBug(error);
      this.close(CLOSE_INTERNAL_ERROR, "worker_lost");
    }
  }

  /** Copies the message. Never buffers more than SOCKET_BACKPRESSURE_BYTES_MAX for a peer that does not read. */
  send(message: Uint8Array | string, isBinary = false): boolean {
    const { ws } = this.#options;
    const data = Buffer.from(message as Uint8Array);
    if (this.#isClosed || ws.bufferedAmount + data.length > SOCKET_BACKPRESSURE_BYTES_MAX) return false;
    ws.send(data, isBinary ? BINARY : TEXT);
    return true;
  }

  /** The FIN follows the close frame at once: nothing that the peer sends after that matters. */
  close(code: number, reason: string): void {
    if (this.#isClosed) return;
    const { ws, socket } = this.#options;
    ws.close(code, reason);
    socket.end();
    this.#closed(code, false);
  }

  get bufferedBytes(): number {
    return this.#options.ws.bufferedAmount;
  }

  ping(): void {
    const { ws } = this.#options;
    if (!this.#isClosed && ws.bufferedAmount < SOCKET_BACKPRESSURE_BYTES_MAX) ws.ping();
  }

  /** Drops the connection immediately. */
  terminate(): void {
    this.#options.ws.terminate();
    this.#closed(CLOSED_WITHOUT_FRAME, false);
  }

  /** The frame path begins here. The message is a view of the bytes that the socket has read. */
  #onMessage(data: Buffer, isBinary: boolean): void {
    if (this.#isClosed) return;
    this.#framing.completed(data.length + HEAD_BYTES_MAX);
    try {
      this.#listener?.message(new Uint8Array(data.buffer, data.byteOffset, data.length), isBinary);
    } catch (error) {
      this.#options.onBug(error);
    }
  }

  #guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#options.onBug(error);
    }
  }

  /** Counts a ping or a pong; false when it must not be answered. */
  #onControlFrame(what: "pinged" | "ponged", data: Buffer): boolean {
    if (this.#isClosed) return false;
    this.#framing.completed(data.length + CONTROL_HEAD_BYTES);
    if (this.#controlFrames.allows(this.#options.clock.nowMs())) {
      this.#guarded(() => this.#listener?.[what]());
      return true;
    }
    this.#violated();
    return false;
  }

  /** The peer exceeded a limit. */
  #violated(): void {
    if (this.#isClosed) return;
    const { ws, socket } = this.#options;
    ws.close(CLOSE_POLICY_VIOLATION, "protocol_error");
    socket.end();
    this.#closed(CLOSE_POLICY_VIOLATION, true);
  }

  /** Buffers no more answers than a peer may leave unread. */
  #pong(data: Buffer): void {
    const { ws } = this.#options;
    if (ws.bufferedAmount + data.length <= SOCKET_BACKPRESSURE_BYTES_MAX) ws.pong(data);
  }

  /** A peer that does not close the connection keeps its file descriptor no longer than this; ws would allow 30 s. */
  #linger(): void {
    const { socket, clock } = this.#options;
    if (!socket.destroyed)
      socket.once(
        "close",
        clock.after(LINGER_MS, () => socket.destroy()),
      );
  }

  #closed(code: number, violated: boolean): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.onClosed(this);
    this.#linger();
    this.#guarded(() => this.#listener?.closed(code, violated));
  }
}
