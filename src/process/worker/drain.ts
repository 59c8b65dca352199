import type { Clock } from "../../core/clock.ts";
import { DRAIN_EXIT_MS_MAX } from "../../core/limits/service/processes.ts";
import type { Gateway } from "../../gateway/gateway.ts";
import type { MediaServer } from "../../gateway/server/media-server.ts";
import type { HandoffClient } from "../../store/handoff/worker-client.ts";

export interface WorkerDrainOptions {
  gateway: Pick<Gateway, "drain" | "endAllWithGoodbye">;
  handoff: Pick<HandoffClient, "sendLoad" | "close">;
  providers: { close(): unknown };
  server: Pick<MediaServer, "pauseListening" | "close">;
  clock: Pick<Clock, "after">;
  /** How long calls may go on where nothing else is said. */
  drainMs: number;
  exit: (code: number) => void;
}

/** Ends a worker: it accepts no new calls, its calls may go on for a while, and then it exits. */
export class WorkerDrain {
  readonly #options: WorkerDrainOptions;
  #hasStarted = false;

  constructor(options: WorkerDrainOptions) {
    this.#options = options;
  }

  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** Exits with 0 when all calls have ended and are handed back; with 1 when that hangs. */
  async start(withinMs = this.#options.drainMs): Promise<void> {
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    const { gateway, handoff, providers, server, clock, exit } = this.#options;
    handoff.sendLoad();
    // Also a full worker listens while the service drains: a new stream is refused with 503 and its token is not spent.
    server.pauseListening(false);
    const cancel = clock.after(withinMs, () => gateway.endAllWithGoodbye());
    // The supervisor, if it lives, kills at the same time. Calls that are not acknowledged by then are recovered from their journals.
    clock.after(withinMs + DRAIN_EXIT_MS_MAX, () => exit(1));
    await gateway.drain();
    cancel();
    // Without a control process the ends of calls are never acknowledged.
    clock.after(DRAIN_EXIT_MS_MAX, () => exit(1));
    server.close();
    await Promise.all([handoff.close(), providers.close()]);
    exit(0);
  }
}
