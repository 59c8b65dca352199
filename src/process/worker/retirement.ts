import type { Clock } from "../../core/clock.ts";
import { addMs } from "../../core/clocks.ts";
import { HANDSHAKE_MS_MAX } from "../../core/limits/streams/connections.ts";
import { idleTurn } from "../../gateway/event-loop/idle-turn.ts";
import type { MediaServer } from "../../gateway/server/media-server.ts";
import type { HandoffClient } from "../../store/handoff/worker-client.ts";
import type { WorkerDrain } from "./drain.ts";

/** How often a retiring worker checks whether its open handshakes are complete. */
const HANDSHAKE_POLL_MS = 50;

export interface WorkerRetirementOptions {
  server: Pick<MediaServer, "handshakes" | "stopListening">;
  handoff: Pick<HandoffClient, "sendLoad">;
  drain: Pick<WorkerDrain, "start">;
  clock: Pick<Clock, "nowMs" | "after">;
}

/** Ends a worker that another one replaces: it stops listening, serves the connections that it has accepted, and drains. */
export class WorkerRetirement {
  readonly #options: WorkerRetirementOptions;
  #hasStarted = false;

  constructor(options: WorkerRetirementOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  async start(): Promise<void> {
    this.#hasStarted = true;
    const { server, handoff, drain, clock } = this.#options;
    handoff.sendLoad();
    // Closing a listener resets connections that are being accepted, so it is closed when the event loop is idle.
    await idleTurn(() => clock.nowMs());
    server.stopListening();
    const untilMs = addMs(clock.nowMs(), HANDSHAKE_MS_MAX);
    while (server.handshakes > 0 && clock.nowMs() < untilMs) {
      await new Promise<void>((resolve) => {
        clock.after(HANDSHAKE_POLL_MS, resolve);
      });
    }
    await drain.start();
  }
}
