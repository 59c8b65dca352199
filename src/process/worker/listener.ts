import type { Clock } from "../../core/clock.ts";
import { idleTurn } from "../../gateway/event-loop/idle-turn.ts";
import type { MediaServer } from "../../gateway/server/media-server.ts";

export interface WorkerListenerOptions {
  server: Pick<MediaServer, "listen" | "stopListening" | "pauseListening">;
  host: string;
  /** 0 takes any free port. */
  port: number;
  /** Whether the worker refuses new streams for want of capacity now. */
  isFull: () => boolean;
  clock: Pick<Clock, "nowMs">;
}

/** The media port of one worker. */
export class WorkerListener {
  readonly #options: WorkerListenerOptions;
  #isListening = false;

  constructor(options: WorkerListenerOptions) {
    this.#options = options;
  }

  get isListening(): boolean {
    return this.#isListening;
  }

  /**
   * Returns the port. A restarted worker must get its port although connections of its predecessor linger on it. uWebSockets.js
   * sets SO_REUSEPORT for that, but only for a port that is given by number, so port 0 is opened twice.
   */
  async listen(): Promise<number> {
    const { server, host, port } = this.#options;
    let listeningPort = await server.listen(host, port);
    if (port === 0) {
      server.stopListening();
      listeningPort = await server.listen(host, listeningPort);
    }
    this.#isListening = true;
    return listeningPort;
  }

  /**
   * Other workers accept new connections while this one is full. Closing a listener resets connections that are being accepted,
   * so it is paused when the event loop is idle.
   */
  async pauseWhenFull(isFull: boolean): Promise<void> {
    const { server, isFull: isStillFull, clock } = this.#options;
    if (isFull) await idleTurn(() => clock.nowMs());
    server.pauseListening(isStillFull());
  }
}
