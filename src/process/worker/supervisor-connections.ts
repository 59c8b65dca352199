import type { Socket } from "node:net";
import type { ConnectionSource } from "../../gateway/server/ws/connection-source.ts";
import { notifySupervisor } from "../supervisor-channel.ts";

/** The connections that the supervisor accepts for this worker: the other side of `MediaPort`. */
export class SupervisorConnections implements ConnectionSource {
  #handleConnection: (socket: Socket) => void = (socket) => socket.destroy();
  #hasStopped = false;
  /** How many pauses were sent to the supervisor that it has not acknowledged. */
  #unacknowledgedPauses = 0;

  /** The supervisor listens already, on the port that it gave this worker. */
  async listen(_host: string, port: number, onConnection: (socket: Socket) => void): Promise<number> {
    this.#handleConnection = onConnection;
    notifySupervisor({ kind: "connections", accepting: true });
    return port;
  }

  pause(isPaused: boolean): void {
    if (this.#hasStopped) return;
    if (isPaused) this.#unacknowledgedPauses += 1;
    notifySupervisor({ kind: "connections", accepting: !isPaused });
  }

  stop(): void {
    this.pause(true);
    this.#hasStopped = true;
  }

  get hasPendingConnections(): boolean {
    return this.#unacknowledgedPauses > 0 && process.connected;
  }

  /** The supervisor has handed this connection over; undefined when its peer has gone meanwhile. */
  onConnection(connection: Socket | undefined): void {
    if (connection !== undefined) this.#handleConnection(connection);
  }

  /** A connection was handed over before this, whether it has arrived or not: Node closes one that the worker has no descriptor for. */
  onConnectionSent(): void {
    notifySupervisor({ kind: "connection-taken" });
  }

  /** The supervisor knows that no more are taken: what it had handed over before is here. */
  onConnectionsStopped(): void {
    this.#unacknowledgedPauses = Math.max(0, this.#unacknowledgedPauses - 1);
  }
}
