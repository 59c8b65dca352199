import { type Activities, NO_ACTIVITIES, withActivity } from "./activity.ts";
import { EventConnection } from "./connection.ts";
import type { LiveEvent, StreamMessage, StreamStatus } from "./event.ts";

/** A tab, as the worker that all share sees it. */
export interface StreamPort {
  postMessage(message: StreamMessage): void;
}

/** What the stream is asked with. */
export interface StreamRequest {
  url: string;
  csrfToken: string;
}

/** The one connection of several tabs: it is made for the first, and ends with the last. */
export class SharedConnection {
  readonly #fetch: typeof globalThis.fetch | undefined;
  readonly #ports = new Set<StreamPort>();
  #connection: EventConnection | undefined;
  #status: StreamStatus = "connecting";
  /** What live calls do, for tabs that come later: the service says all of it only once. */
  #activities: Activities = NO_ACTIVITIES;

  /** `fetch`: in place of the global one, in tests. */
  constructor(fetch?: typeof globalThis.fetch) {
    this.#fetch = fetch;
  }

  join(port: StreamPort, request: StreamRequest): void {
    if (this.#connection === undefined) void this.#run(request);
    this.#ports.add(port);
    port.postMessage({ kind: "status", status: this.#status });
    const data = { calls: [...this.#activities.values()] };
    port.postMessage({ kind: "event", event: { id: "", type: "calls.activity", data } });
  }

  leave(port: StreamPort): void {
    this.#ports.delete(port);
    if (this.#ports.size > 0) return;
    this.#connection?.stop();
    this.#connection = undefined;
  }

  async #run(request: StreamRequest): Promise<void> {
    this.#activities = NO_ACTIVITIES;
    const connection = new EventConnection({
      ...request,
      ...(this.#fetch !== undefined && { fetch: this.#fetch }),
      onEvent: (event) => this.#receive(event),
      onStatus: (status) => this.#setStatus(status),
    });
    this.#connection = connection;
    await connection.run();
    if (this.#connection === connection) this.#connection = undefined;
  }

  #receive(event: LiveEvent): void {
    this.#activities = withActivity(this.#activities, event);
    this.#sendToAll({ kind: "event", event });
  }

  #setStatus(status: StreamStatus): void {
    this.#status = status;
    this.#sendToAll({ kind: "status", status });
  }

  #sendToAll(message: StreamMessage): void {
    for (const port of this.#ports) port.postMessage(message);
  }
}
