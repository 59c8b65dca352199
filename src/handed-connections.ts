import type { Socket } from "node:net";
import type { ConnectionSource } from "./gateway/media-server/connection-source.ts";
import { tellSupervisor } from "./processes.ts";

/** The connections that the supervisor accepts for this worker: the other side of `MediaPort`. */
export class HandedConnections implements ConnectionSource {
  #onConnection: (socket: Socket) => void = (socket) => socket.destroy();
  #hasStopped = false;
  /** How many pauses were sent to the supervisor that it has not acknowledged. */
  #unanswered = 0;

  /** The supervisor listens already, on the port that it gave this worker. */
  async listen(_host: string, port: number, onConnection: (socket: Socket) => void): Promise<number> {
    this.#onConnection = onConnection;
    tellSupervisor({ kind: "connections", taken: true });
    return port;
  }

  pause(isPaused: boolean): void {
    if (this.#hasStopped) return;
    if (isPaused) this.#unanswered += 1;
    tellSupervisor({ kind: "connections", taken: !isPaused });
  }

  stop(): void {
    this.pause(true);
    this.#hasStopped = true;
  }

  get isArriving(): boolean {
    return this.#unanswered > 0 && process.connected;
  }

  /** The supervisor has handed this connection over; undefined when its peer has gone meanwhile. */
  handed(connection: Socket | undefined): void {
    if (connection !== undefined) this.#onConnection(connection);
  }

  /** A connection was handed over before this, whether it has arrived or not: Node closes one that the worker has no descriptor for. */
  sent(): void {
    tellSupervisor({ kind: "connection-taken" });
  }

  /** The supervisor knows that no more are taken: what it had handed over before is here. */
  stopped(): void {
    this.#unanswered = Math.max(0, this.#unanswered - 1);
  }
}
