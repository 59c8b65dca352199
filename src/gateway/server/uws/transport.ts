import type { LivenessOptions } from "../../transport/liveness.ts";
import type { Transport } from "../../transport/transport.ts";
import type { UwsSocket } from "./module.ts";

/** `UwsSocket.send` returns 1: sent; 0: queued after earlier output; 2: dropped. */
const DROPPED = 2;

/** One WebSocket of uWebSockets.js. */
export class UwsTransport implements Transport {
  readonly liveness: LivenessOptions;
  readonly #ws: UwsSocket<unknown>;

  constructor(ws: UwsSocket<unknown>, liveness: LivenessOptions) {
    this.#ws = ws;
    this.liveness = liveness;
  }

  get bufferedBytes(): number {
    return this.#ws.getBufferedAmount();
  }

  send(message: Uint8Array | string, isBinary = false): boolean {
    return this.#ws.send(message, isBinary) !== DROPPED;
  }

  ping(): void {
    this.#ws.ping();
  }

  close(code: number, reason: string): void {
    this.#ws.end(code, reason);
  }
}
