import type { Clock } from "../../core/clock.ts";
import {
  POSTGRES_CONNECTIONS_MAX,
  POSTGRES_LEASE_CONNECTIONS_MAX,
  POSTGRES_REDEMPTION_CONNECTIONS_MAX,
  POSTGRES_UNSYNCED_CONNECTIONS_MAX,
} from "../../core/limits/storage/postgres.ts";
import type { Redemptions, UnpersistedPrompts } from "../redemptions.ts";
import { SqlNodes } from "../sql/cluster/nodes.ts";
import { SqlRedemptions } from "../sql/redemptions/redemptions.ts";
import { keepUnpersisted } from "../sql/redemptions/unpersisted-prompts.ts";
import { migrate, sqlStores } from "../sql/stores.ts";
import type { RedemptionKeys, StoreOptions, Stores } from "../stores.ts";
import { Availability } from "./availability.ts";
import { DatabaseAgeClock } from "./database-age-clock.ts";
import { Pool } from "./pool.ts";
import { PostgresDatabase } from "./postgres-database.ts";

/**
 * Opens the database at `url` and migrates its schema; of several processes one migrates. Rejects with `unavailable`
 * when the server cannot be reached, and as `migrate` does.
 */
export async function openPostgresStores(
  url: string,
  clock: Clock,
  {
    ageClock,
    unpersisted = new Map(),
    mediaSealing,
    secretsKeys,
    isAuthenticStream,
    holderOf,
    sharesFiles,
    ...schema
  }: StoreOptions = {},
): Promise<Stores> {
  const migrating = new PostgresDatabase(new Pool({ url, connectionsMax: 2, clock, limitsQueries: false }));
  try {
    await migrate(migrating, schema);
  } finally {
    await migrating.db.destroy();
  }
  const databaseAge = new DatabaseAgeClock(clock);
  const availability = await Availability.begin(url, clock, databaseAge);
  const shared = { url, clock, endsIdleTransactions: holderOf !== undefined };
  const database = new PostgresDatabase(
    new Pool({ ...shared, connectionsMax: POSTGRES_CONNECTIONS_MAX }),
    new Pool({ ...shared, connectionsMax: POSTGRES_UNSYNCED_CONNECTIONS_MAX, waitsForDisk: false }),
  );
  // A lease must not end because other queries take all connections.
  const leases = new PostgresDatabase(new Pool({ ...shared, connectionsMax: POSTGRES_LEASE_CONNECTIONS_MAX }));
  const age = ageClock ?? databaseAge;
  const redemptionKeys = { mediaSealing, secretsKeys, isAuthenticStream };
  const stores = sqlStores(database, { clock, age, unpersisted, holderOf, sharesFiles, ...redemptionKeys });
  stores.calls.subscribe(keepUnpersisted(unpersisted, holderOf && clock));
  return {
    ...stores,
    nodes: new SqlNodes(leases, age),
    isDatabaseLost: () => availability.isLost,
    onServerChanged: (listener) => availability.onServerChanged(listener),
    close: async () => {
      await availability.close();
      await leases.close();
      await database.close();
    },
  };
}

/**
 * The redemptions of a database that `openPostgresStores` has opened before, in any process, on connections of their own.
 * Rejects with `unavailable` when the server cannot be reached.
 */
export async function openPostgresRedemptions(
  url: string,
  clock: Clock,
  unpersisted: Pick<UnpersistedPrompts, "get">,
  keys: RedemptionKeys = {},
): Promise<{ redemptions: Redemptions; close(): Promise<void> }> {
  const age = new DatabaseAgeClock(clock);
  const availability = await Availability.begin(url, clock, age);
  const connectionsMax = POSTGRES_REDEMPTION_CONNECTIONS_MAX;
  const endsIdleTransactions = keys.holderOf !== undefined;
  const database = new PostgresDatabase(new Pool({ url, connectionsMax, clock, endsIdleTransactions }));
  return {
    redemptions: new SqlRedemptions(database, { clock, age, unpersisted, ...keys }),
    close: async () => {
      await availability.close();
      await database.db.destroy();
    },
  };
}
