import type { AgeClock } from "../core/age-clock.ts";
import type { Clock } from "../core/clock.ts";
import { openDataDir } from "./data-dir/data-dir.ts";
import { openPostgresRedemptions, openPostgresStores } from "./postgres/open-stores.ts";
import type { Redemptions, UnpersistedPrompts } from "./redemptions.ts";
import { openSqliteRedemptions, openSqliteStores } from "./sqlite/open-stores.ts";
import type { RedemptionKeys, StoreOptions, Stores } from "./stores.ts";

/** Where a service has its durable data. */
export interface StorePlace {
  dataDir: string;
  /** A Postgres database, which then has everything but journals, recordings and keys; undefined for SQLite in `dataDir`. */
  databaseUrl: string | undefined;
}

/**
 * Opens the stores of a service and migrates their schema, unless `migrates` is false. Rejects when the database cannot
 * be opened, when its schema is newer than this program, or older and not to be changed, when an import was interrupted,
 * and as `openDataDir` throws.
 */
export async function openStores(place: StorePlace, clock: Clock, options: StoreOptions = {}): Promise<Stores> {
  const { dataDir, databaseUrl } = place;
  if (databaseUrl === undefined) return await openSqliteStores(dataDir, clock, options);
  openDataDir(dataDir);
  // Machines that share a database measure age by its clock.
  return await openPostgresStores(databaseUrl, clock, { ...options, ageClock: undefined });
}

/** The redemptions of stores that are open, for another thread; `ageClock` is that of SQLite. */
export const openRedemptions = async (
  { dataDir, databaseUrl }: StorePlace,
  clock: Clock,
  ageClock: AgeClock,
  unpersisted: Pick<UnpersistedPrompts, "get">,
  keys: RedemptionKeys = {},
): Promise<{ redemptions: Redemptions; close(): Promise<void> }> =>
  databaseUrl === undefined
    ? openSqliteRedemptions(dataDir, clock, ageClock, unpersisted, keys)
    : await openPostgresRedemptions(databaseUrl, clock, unpersisted, keys);
