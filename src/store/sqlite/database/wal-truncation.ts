import { type Kysely, sql } from "kysely";
import { BUSY_TIMEOUT_MS } from "./dialect.ts";
import type { Tables } from "./tables.ts";

/**
 * What was deleted still stands in the log of changes (`trunkline.db-wal`) until that has been written back and truncated, which
 * readers prevent meanwhile. Waits for nobody. Returns whether it was truncated; try again later where not.
 */
export const truncateWal = (db: Kysely<Tables>): Promise<boolean> =>
  db.connection().execute(async (connection) => {
    await sql`PRAGMA busy_timeout = 0`.execute(connection);
    try {
      // Nothing is locked while this copies; what is left for the step behind it, which locks, is little.
      await sql`PRAGMA wal_checkpoint(PASSIVE)`.execute(connection);
      const { rows } = await sql<{ busy: number }>`PRAGMA wal_checkpoint(TRUNCATE)`.execute(connection);
      return rows[0]?.busy === 0;
    } finally {
      await sql`PRAGMA busy_timeout = ${sql.lit(BUSY_TIMEOUT_MS)}`.execute(connection);
    }
  });
