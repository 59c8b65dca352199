import { type Kysely, sql } from "kysely";
import { BUSY_TIMEOUT_MS } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/**
 * Deleted data stays in the write-ahead log (`trunkline.db-wal`) until that is written back and truncated, which
 * readers prevent. Does not wait. Returns whether the log was truncated; retry later if not.
 */
export const truncateWal = (db: Kysely<Tables>): Promise<boolean> =>
  db.connection().execute(async (connection) => {
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
