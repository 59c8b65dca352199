import type { Clock } from "../../core/clock.ts";
import { epochMs, type MonotonicMs } from "../../core/clocks.ts";
import { POSTGRES_POLL_MS } from "../../core/limits/storage/postgres.ts";
import type { DatabaseAgeClock } from "./database-age-clock.ts";
import { Pool } from "./pool.ts";

const QUESTION =
  "SELECT pg_is_in_recovery() AS is_standby, extract(epoch FROM clock_timestamp())::double precision * 1000 AS now_ms, " +
  "extract(epoch FROM pg_postmaster_start_time())::double precision AS started_s";

interface Answer {
  is_standby: boolean;
  now_ms: number;
  /** Tells servers apart: a replica that was promoted has another one than the primary before it. */
  started_s: number;
}

/** Asks Postgres at intervals, on a connection of its own, whether it is there and can be written to, and for its time. */
export class Availability {
  readonly #pool: Pool;
  readonly #clock: Clock;
  readonly #age: DatabaseAgeClock;
  readonly #onServerChanged: ((answeredMs: MonotonicMs) => void)[] = [];
  /** The start of the server that answered last and takes writes, and when that was. */
  #server: { startedS: number; answeredMs: MonotonicMs } | undefined;
  #isLost = false;
  #isClosed = false;
  #cancelNext = (): void => {};

  private constructor(url: string, clock: Clock, age: DatabaseAgeClock) {
    this.#pool = new Pool({ url, connectionsMax: 1, clock });
    this.#clock = clock;
    this.#age = age;
  }

  /** `age` follows the server's clock from now on. Rejects with `unavailable` when the server cannot be reached. */
  static async begin(url: string, clock: Clock, age: DatabaseAgeClock): Promise<Availability> {
    const availability = new Availability(url, clock, age);
    try {
      await availability.#ask();
    } catch (error) {
      await availability.#pool.end();
      throw error;
    }
    availability.#pollLater();
    return availability;
  }

  /** The last question was not answered, or the server is a standby. */
  get isLost(): boolean {
    return this.#isLost;
  }

  /** See `Stores.onServerChanged`. */
  onServerChanged(listener: (answeredMs: MonotonicMs) => void): void {
    this.#onServerChanged.push(listener);
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
      await this.#ask();
    } catch {
      this.#isLost = true;
    }
  }

  async #ask(): Promise<void> {
    const connection = await this.#pool.connect();
    try {
      const sentMs = this.#clock.nowMs();
      const { rows } = await connection.query<Answer>(QUESTION, []);
      const [answer] = rows;
      if (answer === undefined) throw new Error("the server answered without a row");
      this.#isLost = answer.is_standby;
      this.#age.follow(epochMs(answer.now_ms), sentMs);
      if (!answer.is_standby) this.#noteServer(answer.started_s);
    } finally {
      connection.release();
    }
  }

  #noteServer(startedS: number): void {
    const before = this.#server;
    this.#server = { startedS, answeredMs: this.#clock.nowMs() };
    if (before === undefined || before.startedS === startedS) return;
    for (const listener of this.#onServerChanged) listener(before.answeredMs);
  }
}
