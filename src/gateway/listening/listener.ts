import { type CallMs, elapsedMs } from "../../core/clocks.ts";
import {
  LISTENER_ANSWER_MS_MAX,
  LISTENER_BUFFERED_BYTES_MAX,
  LISTENER_PING_MS,
} from "../../core/limits/calls/listening.ts";
import { CONTROL_FRAMES_PER_SECOND_MAX } from "../../core/limits/streams/connections.ts";
import type { ListenerEnd } from "../../core/metrics/labels.ts";
import { CLOSE_INTERNAL_ERROR, CLOSE_NORMAL, CLOSE_POLICY_VIOLATION } from "../transport/close-codes.ts";
import type { Transport, TransportListener } from "../transport/transport.ts";

/** How the connection of a listener is closed that ends for this reason. */
const CLOSES: Readonly<Record<ListenerEnd, readonly [code: number, reason: string]>> = {
  call_ended: [CLOSE_NORMAL, "call_ended"],
  left: [CLOSE_NORMAL, "left"],
  slow: [CLOSE_POLICY_VIOLATION, "slow_consumer"],
  sent: [CLOSE_POLICY_VIOLATION, "read_only"],
  failed: [CLOSE_INTERNAL_ERROR, "internal_error"],
};

/** A connection that gets the audio of a call, and may send nothing but pongs. */
export class Listener implements TransportListener {
  readonly #transport: Transport;
  readonly #onEnded: (end: ListenerEnd) => void;
  #isOpen = true;
  #controlFrames = 0;
  /** When the latest ping was sent, and whether it has been answered. */
  #pingedMs: CallMs | undefined;
  #isAnswered = true;

  /** `onEnded` is called once. */
  constructor(transport: Transport, onEnded: (end: ListenerEnd) => void) {
    this.#transport = transport;
    this.#onEnded = onEnded;
  }

  /** The bytes are borrowed. Never throws. */
  send(message: Uint8Array | string, isBinary: boolean): void {
    if (!this.#isOpen) return;
    try {
      const isSent = this.#transport.send(message, isBinary);
      if (!isSent || this.#transport.bufferedBytes > LISTENER_BUFFERED_BYTES_MAX) this.end("slow");
    } catch {
      this.end("failed");
    }
  }

  /** Asks from time to time how late the peer is: its answer follows the audio that it has read. */
  check(nowMs: CallMs): void {
    if (!this.#isOpen) return;
    const waitedMs = this.#pingedMs === undefined ? LISTENER_PING_MS : elapsedMs(this.#pingedMs, nowMs);
    if (!this.#isAnswered && waitedMs >= LISTENER_ANSWER_MS_MAX) this.end("slow");
    else if (this.#isAnswered && waitedMs >= LISTENER_PING_MS) {
      this.#pingedMs = nowMs;
      this.#isAnswered = false;
      this.#controlFrames = 0;
      this.#transport.ping();
    }
  }

  /** Closes the connection, unless it is closed. Never throws. */
  end(end: ListenerEnd): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onEnded(end);
    const [code, reason] = CLOSES[end];
    this.#transport.close(code, reason);
  }

  message(): void {
    this.end("sent");
  }

  pinged(): void {
    this.#controlFrames += 1;
    if (this.#controlFrames > CONTROL_FRAMES_PER_SECOND_MAX) this.end("sent");
  }

  ponged(): void {
    this.#isAnswered = true;
    this.pinged();
  }

  closed(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#onEnded("left");
  }
}
