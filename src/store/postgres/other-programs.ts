import { setTimeout as delay } from "node:timers/promises";
import type { PostgresPoolClient } from "kysely";
import { systemClock } from "../../core/clock.ts";
import { POSTGRES_POLL_MS } from "../../core/limits/storage/postgres.ts";
import { APPLICATION_NAME, Pool } from "./pool.ts";

/** When something was last asked on each of the other connections of this software, and the time now. */
const QUESTION = `SELECT clock_timestamp() AS now, max(state_change) AS asked FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = '${APPLICATION_NAME}' AND pid <> pg_backend_pid()`;

interface Answer {
  now: Date;
  /** Null where there are no other connections. */
  asked: Date | null;
}

/**
 * Whether a service, or a command of one, works on the database at `url`: a service without NODE_NAME has no row that says so. To be asked
 * before this process opens its own stores. Rejects with `unavailable` when the server cannot be reached.
 */
export async function hasOtherPrograms(url: string): Promise<boolean> {
  const pool = new Pool({ url, connectionsMax: 1, clock: systemClock });
  try {
    const connection = await pool.connect();
    try {
      const { now, asked } = await ask(connection);
      if (asked === null) return false;
      // The connections of a process that has ended, or of a machine that is gone, may still be there: nothing is asked on them, but
      // every program that runs asks with each POSTGRES_POLL_MS.
      await delay(2 * POSTGRES_POLL_MS);
      const since = (await ask(connection)).asked;
      return since !== null && since > now;
    } finally {
      connection.release();
    }
  } finally {
    await pool.end();
  }
}

async function ask(connection: PostgresPoolClient): Promise<Answer> {
  const [answer] = (await connection.query<Answer>(QUESTION, [])).rows;
  if (answer === undefined) throw new Error("the server answered without a row");
  return answer;
}
