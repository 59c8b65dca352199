import pg from "pg";
import type { Clock } from "../../core/clock.ts";
import type { NodeName } from "../../core/ids.ts";
import {
  NODE_LISTENING_CHECK_MS_MAX,
  NODE_LISTENING_RETRY_MS_FIRST,
  NODE_LISTENING_RETRY_MS_MAX,
  NODE_MESSAGES_POLL_MS,
} from "../../core/limits/cluster/node-messages.ts";
import { POSTGRES_CONNECT_MS_MAX } from "../../core/limits/storage/postgres.ts";
import type { NodeSignalHandlers, NodeSignals } from "../cluster/node-message-store.ts";
import { ANNOUNCEMENTS_CHANNEL, channelOf } from "../sql/cluster/node-messages.ts";
import { APPLICATION_NAME } from "./pool.ts";

/** See `NodeSignals`. LISTEN is of a connection, so it has one of its own, which is checked and replaced. */
export class PostgresNodeSignals implements NodeSignals {
  readonly #url: string;
  readonly #clock: Clock;
  #client: pg.Client | undefined;
  #isListening = false;
  #isClosed = false;
  #retryMs = NODE_LISTENING_RETRY_MS_FIRST;
  #cancelNext = (): void => {};

  constructor(url: string, clock: Clock) {
    this.#url = url;
    this.#clock = clock;
  }

  listen(node: NodeName, handlers: NodeSignalHandlers): void {
    void this.#connect(channelOf(node), handlers);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelNext();
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => {});
  }

  /** Never rejects. */
  async #connect(channel: string, handlers: NodeSignalHandlers): Promise<void> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: POSTGRES_CONNECT_MS_MAX,
      application_name: APPLICATION_NAME,
      keepAlive: true,
    });
    this.#client = client;
    client.on("error", () => this.#lost(client, channel, handlers));
    client.on("end", () => this.#lost(client, channel, handlers));
    client.on("notification", ({ channel: from, payload = "" }) => {
      if (this.#client !== client) return;
      if (from === channel) handlers.onMessage();
      else if (from === ANNOUNCEMENTS_CHANNEL) handlers.onAnnouncement(payload);
    });
    try {
      await client.connect();
      // Both names are of fixed characters.
      await this.#within(client.query(`LISTEN ${channel}; LISTEN ${ANNOUNCEMENTS_CHANNEL}`));
      if (this.#client !== client) return;
      this.#retryMs = NODE_LISTENING_RETRY_MS_FIRST;
      this.#isListening = true;
      handlers.onListening(true);
      this.#checkLater(client, channel, handlers);
    } catch {
      this.#lost(client, channel, handlers);
    }
  }

  /** A connection whose other end is gone reports nothing by itself. */
  #checkLater(client: pg.Client, channel: string, handlers: NodeSignalHandlers): void {
    this.#cancelNext = this.#clock.after(NODE_MESSAGES_POLL_MS, () => {
      this.#within(client.query("SELECT 1")).then(
        () => {
          if (this.#client === client) this.#checkLater(client, channel, handlers);
        },
        () => this.#lost(client, channel, handlers),
      );
    });
  }

  #lost(client: pg.Client, channel: string, handlers: NodeSignalHandlers): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#cancelNext();
    // Not awaited: its other end may be gone.
    client.end().catch(() => {});
    if (this.#isListening) handlers.onListening(false);
    this.#isListening = false;
    if (this.#isClosed) return;
    this.#cancelNext = this.#clock.after(this.#retryMs, () => void this.#connect(channel, handlers));
    this.#retryMs = Math.min(2 * this.#retryMs, NODE_LISTENING_RETRY_MS_MAX);
  }

  async #within<T>(result: Promise<T>): Promise<T> {
    let cancel = (): void => {};
    const timeout = new Promise<never>((_, reject) => {
      cancel = this.#clock.after(NODE_LISTENING_CHECK_MS_MAX, () => reject(new Error("no answer in time")));
    });
    try {
      return await Promise.race([result, timeout]);
    } finally {
      cancel();
      result.catch(() => {});
    }
  }
}
