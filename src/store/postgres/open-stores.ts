import { type AgeClock, systemAgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { POSTGRES_CONNECTIONS_MAX, POSTGRES_REDEMPTION_CONNECTIONS_MAX } from "../../core/limits/postgres.ts";
import type { Redemptions, UnpersistedPrompts } from "../redemptions.ts";
import { SqlRedemptions } from "../sql/redemptions.ts";
import { migrate, sqlStores } from "../sql/stores.ts";
import { keepUnpersisted } from "../sql/unpersisted-prompts.ts";
import type { StoreOptions, Stores } from "../stores.ts";
import { Availability } from "./availability.ts";
import { Pool } from "./pool.ts";
import { PostgresDatabase } from "./postgres-database.ts";

/**
 * Opens the database at `url` and migrates its schema; of several processes one migrates. Rejects with `unavailable`
 * when the server cannot be reached, and when the schema is newer than this program.
 */
export async function openPostgresStores(
  url: string,
  clock: Clock,
  { ageClock = systemAgeClock(), unpersisted = new Map(), onMigration }: StoreOptions = {},
): Promise<Stores> {
  const migrating = new PostgresDatabase(new Pool({ url, connectionsMax: 2, clock, limitsQueries: false }));
  try {
    await migrate(migrating, onMigration);
  } finally {
    await migrating.db.destroy();
  }
  const database = new PostgresDatabase(new Pool({ url, connectionsMax: POSTGRES_CONNECTIONS_MAX, clock }));
  const availability = new Availability(url, clock);
  const stores = sqlStores(database, { clock, age: ageClock, unpersisted });
  stores.calls.subscribe(keepUnpersisted(unpersisted));
  return {
    ...stores,
    isDatabaseLost: () => availability.isLost,
    close: async () => {
      await availability.close();
      await stores.close();
    },
  };
}

/** The redemptions of a database that `openPostgresStores` has opened before, in any process, on connections of their own. */
export function openPostgresRedemptions(
  url: string,
  clock: Clock,
  ageClock: AgeClock,
  unpersisted: Pick<UnpersistedPrompts, "get">,
): { redemptions: Redemptions; close(): Promise<void> } {
  const pool = new Pool({ url, connectionsMax: POSTGRES_REDEMPTION_CONNECTIONS_MAX, clock });
  const database = new PostgresDatabase(pool);
  return {
    redemptions: new SqlRedemptions(database, clock, ageClock, unpersisted),
    close: () => database.db.destroy(),
  };
}
