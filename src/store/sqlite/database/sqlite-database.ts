import { Kysely, SqliteDialect, sql, type Transaction } from "kysely";
import type { Database } from "libsql";
import type { EpochMs } from "../../../core/clocks.ts";
import type { ColumnTypes, SqlDatabase } from "../../sql/database.ts";
import type { Tables } from "../../sql/tables.ts";
import { openDatabase } from "./database.ts";
import type { DatabaseFiles } from "./database-files.ts";
import { BUSY_TIMEOUT_MS, execute, SharedFileDialect } from "./dialect.ts";

/** Pages of 4 KiB that one step returns, in one transaction: about a millisecond and one forced write. */
const PAGES_PER_STEP = 64;

/** SQLite's integers have 64 bits, and its `real` is JavaScript's number. */
export const SQLITE_COLUMN_TYPES: ColumnTypes = { epochMs: "integer", durationMs: "real" };

/** See `SqlDatabase`. */
export class SqliteDatabase implements SqlDatabase {
  readonly db: Kysely<Tables>;
  readonly columnTypes = SQLITE_COLUMN_TYPES;
  readonly locksRows = false;
  readonly combinesWrites = false;
  readonly nowMs = sql<EpochMs>`CAST(unixepoch('subsec') * 1000 AS INTEGER)`;
  readonly #file: Database;
  readonly #path: string;

  /** `files` are the files of the open database `file`, which is at `path`. */
  constructor(file: Database, path: string, files: DatabaseFiles) {
    this.#file = file;
    this.#path = path;
    this.db = new Kysely<Tables>({ dialect: new SharedFileDialect(file, files) });
  }

  /** The write lock, which BEGIN IMMEDIATE takes, lets transactions run one after another. */
  transaction<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.db.transaction().execute(work);
  }

  readCommitted<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  /** Its commit is written and not forced to the disk; the next one that is forces both, in their order. */
  readCommittedWithoutSync<T>(work: (tx: Transaction<Tables>) => Promise<T>): Promise<T> {
    return this.db.connection().execute(async (connection) => {
      execute(this.#file, "PRAGMA synchronous = NORMAL");
      try {
        return await connection.transaction().execute(work);
      } finally {
        execute(this.#file, "PRAGMA synchronous = FULL");
      }
    });
  }

  withoutSync<T>(work: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    return this.readCommittedWithoutSync(work);
  }

  /** On a connection of its own, because a transaction of this one would take the write lock. */
  async readSnapshot<T>(read: (db: Kysely<Tables>) => Promise<T>): Promise<T> {
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: openDatabase(this.#path) }) });
    try {
      return await db.transaction().execute(read);
    } finally {
      await db.destroy();
    }
  }

  async compact(): Promise<boolean> {
    // A prepared statement of this would stay in progress (libsql 0.5.29) and lock the file against the checkpoint.
    execute(this.#file, `PRAGMA incremental_vacuum(${PAGES_PER_STEP})`);
    return (await this.#freePages()) > 0 && (await this.#isIncremental());
  }

  async #freePages(): Promise<number> {
    const { rows } = await sql<{ freelist_count: number }>`PRAGMA freelist_count`.execute(this.db);
    return rows[0]?.freelist_count ?? 0;
  }

  /** A database of an earlier version keeps the freed space and reuses it. */
  async #isIncremental(): Promise<boolean> {
    const { rows } = await sql<{ auto_vacuum: number }>`PRAGMA auto_vacuum`.execute(this.db);
    return rows[0]?.auto_vacuum === 2;
  }

  /**
   * Deleted data stays in the write-ahead log (`trunkline.db-wal`) until that is written back and truncated, which
   * readers prevent.
   */
  purgeChangeLog(): Promise<boolean> {
    return this.db.connection().execute(async (connection) => {
      await sql`PRAGMA busy_timeout = 0`.execute(connection);
      try {
        // This copies without a lock, and leaves little for the next step, which locks.
        await sql`PRAGMA wal_checkpoint(PASSIVE)`.execute(connection);
        const { rows } = await sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.execute(connection);
        return rows[0]?.busy === 0;
      } finally {
        await sql`PRAGMA busy_timeout = ${sql.lit(BUSY_TIMEOUT_MS)}`.execute(connection);
      }
    });
  }
}
