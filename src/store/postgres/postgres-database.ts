import { setTimeout } from "node:timers/promises";
import { Kysely, PostgresDialect, type Transaction } from "kysely";
import { POSTGRES_RETRY_MS_MAX, POSTGRES_TRIES_MAX } from "../../core/limits/postgres.ts";
import type { ColumnTypes, SqlDatabase } from "../sql/database.ts";
import type { Tables } from "../sql/tables.ts";
import { isConflict } from "./errors.ts";
import type { Pool } from "./pool.ts";

/** See `SqlDatabase`. */
export class PostgresDatabase implements SqlDatabase {
  readonly db: Kysely<Tables>;
  readonly columnTypes: ColumnTypes = { epochMs: "bigint", durationMs: "double precision" };

  readonly locksRows = true;

  constructor(pool: Pool) {
    this.db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  }

  /**
   * Postgres detects transactions that would have another result if they ran one after another, and cancels one of
   * them, which is then run again.
   */
  async transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    for (let triesLeft = POSTGRES_TRIES_MAX - 1; ; triesLeft--) {
      try {
        return await this.db.transaction().setIsolationLevel("serializable").execute(work);
      } catch (error) {
        if (triesLeft === 0 || !isConflict(error)) throw error;
      }
      await setTimeout(Math.random() * POSTGRES_RETRY_MS_MAX);
    }
  }

  readSnapshot<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.db.transaction().setIsolationLevel("repeatable read").setAccessMode("read only").execute(read);
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
