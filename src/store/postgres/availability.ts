import type { Clock } from "../../core/clock.ts";
import { POSTGRES_POLL_MS } from "../../core/limits/postgres.ts";
import { Pool } from "./pool.ts";

/** Asks Postgres at intervals, on a connection of its own, whether it is there and can be written to. */
export class Availability {
  readonly #pool: Pool;
  readonly #clock: Clock;
  #isLost = false;
  #isClosed = false;
  #cancelNext = (): void => {};

  constructor(url: string, clock: Clock) {
    this.#pool = new Pool({ url, connectionsMax: 1, clock });
    this.#clock = clock;
    this.#pollLater();
  }

  /** The last question was not answered, or the server is a standby. False until the first answer. */
  get isLost(): boolean {
    return this.#isLost;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelNext();
    await this.#pool.end();
  }

  #pollLater(): void {
    if (this.#isClosed) return;
    this.#cancelNext = this.#clock.after(POSTGRES_POLL_MS, () => void this.#poll().then(() => this.#pollLater()));
  }

  async #poll(): Promise<void> {
    try {
      const connection = await this.#pool.connect();
      try {
        const { rows } = await connection.query<{ is_standby: boolean }>(
          "SELECT pg_is_in_recovery() AS is_standby",
          [],
        );
        this.#isLost = rows[0]?.is_standby === true;
      } finally {
        connection.release();
      }
    } catch {
      this.#isLost = true;
    }
  }
}
