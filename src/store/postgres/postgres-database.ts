import { setTimeout } from "node:timers/promises";
import { Kysely, PostgresDialect, sql, type Transaction } from "kysely";
import type { EpochMs } from "../../core/clocks.ts";
import {
  POSTGRES_RETRY_MS_FIRST,
  POSTGRES_RETRY_MS_MAX,
  POSTGRES_TAKEN_KEY_RETRIES_MAX,
  POSTGRES_TRIES_MAX,
} from "../../core/limits/storage/postgres.ts";
import type { ColumnTypes, SqlDatabase } from "../sql/database.ts";
import type { Tables } from "../sql/tables.ts";
import { isConflict, isTakenKey } from "./errors.ts";
import type { Pool } from "./pool.ts";

/** See `SqlDatabase`. */
export class PostgresDatabase implements SqlDatabase {
  readonly db: Kysely<Tables>;
  readonly columnTypes: ColumnTypes = { epochMs: "bigint", durationMs: "double precision" };

  readonly locksRows = true;
  readonly combinesWrites = true;
  readonly nowMs = sql<EpochMs>`(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;

  /** Its transactions commit without waiting for the disk. */
  readonly #unsynced: Kysely<Tables>;

  /** `unsynced` are connections that do not wait for the disk; without them all do. */
  constructor(pool: Pool, unsynced?: Pool) {
    this.db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
    this.#unsynced =
      unsynced === undefined ? this.db : new Kysely<Tables>({ dialect: new PostgresDialect({ pool: unsynced }) });
  }

  /**
   * Postgres detects transactions that would have another result if they ran one after another, and cancels one of
   * them, which is then run again. So is, a few times, one that has found a key free which another has taken before it could.
   */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return retried(
      () => this.db.transaction().setIsolationLevel("serializable").execute(work),
      POSTGRES_TAKEN_KEY_RETRIES_MAX,
    );
  }

  /** The default of Postgres. The conflicts that are left are deadlocks. */
  readCommitted<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return retried(() => this.db.transaction().execute(work));
  }

  readCommittedWithoutSync<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return retried(() => this.#unsynced.transaction().execute(work));
  }

  withoutSync<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return work(this.#unsynced);
  }

  readSnapshot<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
  }

  async close(): Promise<void> {
    await this.db.destroy();
    if (this.#unsynced !== this.db) await this.#unsynced.destroy();
  }

  /** Postgres reuses freed space; its autovacuum returns what it can. */
  async compact(): Promise<boolean> {
    return false;
  }

  /** The write-ahead log of Postgres is its operator's. */
  async purgeChangeLog(): Promise<boolean> {
    return true;
  }
}

/** Runs a transaction again that had a conflict with another one, and `takenKeyRetries` times one whose key was taken. */
async function retried<T>(transaction: () => Promise<T>, takenKeyRetries = 0): Promise<T> {
  let takenKeys = 0;
  for (let tries = 1; ; tries++) {
    try {
      return await transaction();
    } catch (error) {
      if (isTakenKey(error)) takenKeys += 1;
      else if (!isConflict(error)) throw error;
      if (tries === POSTGRES_TRIES_MAX || takenKeys > takenKeyRetries) throw error;
    }
    await setTimeout(Math.random() * Math.min(POSTGRES_RETRY_MS_FIRST * 2 ** (tries - 1), POSTGRES_RETRY_MS_MAX));
  }
}
