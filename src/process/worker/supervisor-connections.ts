import type { Socket } from "node:net";
import type { ConnectionSource } from "../../gateway/server/ws/connection-source.ts";
import { notifySupervisor } from "../channel/child-side.ts";

/** Connections that the supervisor accepts for this worker: the counterpart of `MediaPort`. */
export class SupervisorConnections implements ConnectionSource {
  #handleConnection: (socket: Socket) => void = (socket) => socket.destroy();
  #hasStopped = false;
  /** Resumptions that the supervisor has not acknowledged, oldest first. */
  readonly #resuming: (() => void)[] = [];
  /** Pauses that the supervisor has not acknowledged. */
  #unacknowledgedPauses = 0;

  /** The supervisor knows the port, but may have closed it while no worker accepted connections: resolves when it is open. */
  async listen(_host: string, port: number, onConnection: (socket: Socket) => void): Promise<number> {
    this.#handleConnection = onConnection;
    await this.pause(false);
    return port;
  }

  async pause(isPaused: boolean): Promise<void> {
    if (this.#hasStopped) return;
    if (isPaused) this.#unacknowledgedPauses += 1;
    notifySupervisor({ kind: "connections", accepting: !isPaused });
    if (isPaused) return;
    await new Promise<void>((resolve) => {
      this.#resuming.push(resolve);
    });
  }

  stop(): void {
    void this.pause(true);
    this.#hasStopped = true;
  }

  get hasPendingConnections(): boolean {
    return this.#unacknowledgedPauses > 0 && process.connected;
  }

  /** A connection from the supervisor; undefined when its peer has disconnected meanwhile. */
  onConnection(connection: Socket | undefined): void {
    if (connection !== undefined) this.#handleConnection(connection);
  }

  /** Follows each connection, whether it has arrived or not: Node closes one for which the worker has no descriptor. */
  onConnectionSent(): void {
    notifySupervisor({ kind: "connection-taken" });
  }

  /** Acknowledges a resumption: the port is open. */
  onConnectionsStarted(): void {
    this.#resuming.shift()?.();
  }

  /** Acknowledges a pause: all connections that the supervisor sent before it have arrived. */
  onConnectionsStopped(): void {
    this.#unacknowledgedPauses = Math.max(0, this.#unacknowledgedPauses - 1);
  }
}
