import type { AgeClock } from "../core/age-clock.ts";
import type { Clock } from "../core/clock.ts";
import { openDataDir } from "./data-dir/data-dir.ts";
import { openPostgresRedemptions, openPostgresStores } from "./postgres/open-stores.ts";
import type { Redemptions, UnpersistedPrompts } from "./redemptions.ts";
import { openSqliteRedemptions, openSqliteStores } from "./sqlite/open-stores.ts";
import type { StoreOptions, Stores } from "./stores.ts";

/** Where a service has its durable data. */
export interface StorePlace {
  dataDir: string;
  /** A Postgres database, which then has everything but journals, recordings and keys; undefined for SQLite in `dataDir`. */
  databaseUrl: string | undefined;
}

/**
 * Opens the stores of a service and migrates their schema. Rejects when the database cannot be opened or has a newer
 * schema, and as `openDataDir` throws.
 */
export async function openStores(place: StorePlace, clock: Clock, options: StoreOptions = {}): Promise<Stores> {
  const { dataDir, databaseUrl } = place;
  if (databaseUrl === undefined) return await openSqliteStores(dataDir, clock, options);
  openDataDir(dataDir);
  return await openPostgresStores(databaseUrl, clock, options);
}

/** The redemptions of stores that are open, for another thread. */
export const openRedemptions = (
  { dataDir, databaseUrl }: StorePlace,
  clock: Clock,
  ageClock: AgeClock,
  unpersisted: Pick<UnpersistedPrompts, "get">,
): { redemptions: Redemptions; close(): Promise<void> } =>
  databaseUrl === undefined
    ? openSqliteRedemptions(dataDir, clock, ageClock, unpersisted)
    : openPostgresRedemptions(databaseUrl, clock, ageClock, unpersisted);
