import { type Kysely, Migrator } from "kysely";
import type { AgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import type { UnpersistedPrompts } from "../redemptions.ts";
import type { Stores } from "../stores.ts";
import { SqlAccounts } from "./accounts.ts";
import { SqlAgents } from "./agents.ts";
import { SqlApiKeys } from "./api-keys.ts";
import { SqlCalls } from "./calls/calls.ts";
import type { SqlDatabase } from "./database.ts";
import { SqlEpochs } from "./epochs.ts";
import { SqlJobs } from "./jobs.ts";
import { migrationsFor } from "./migrations/migrations.ts";
import { SqlRedemptions } from "./redemptions.ts";
import { SqlRetention } from "./retention.ts";
import type { Tables } from "./tables.ts";
import { SqlTransfer } from "./transfer.ts";
import { SqlEvents } from "./webhooks/events.ts";
import { SqlWebhooks } from "./webhooks/webhooks.ts";

/**
 * Brings the schema of a database up to date. Awaits `onMigration` before and after, if there is anything to do.
 * Rejects when the schema is newer than this program, and with the database's errors.
 */
export async function migrate(
  { db, columnTypes }: SqlDatabase,
  onMigration?: (isOver: boolean) => Promise<void>,
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrationsFor(columnTypes) } });
  const isOutdated = (await migrator.getMigrations()).some(({ executedAt }) => executedAt === undefined);
  if (isOutdated) await onMigration?.(false);
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
  if (isOutdated) await onMigration?.(true);
}

export interface SqlStoreOptions {
  clock: Clock;
  /** Measures the age of tokens and idempotency keys. */
  age: AgeClock;
  /** The words of calls that are not recorded, which are in no table. */
  unpersisted: Pick<UnpersistedPrompts, "get">;
}

/** The stores of a migrated database. */
export function sqlStores(
  database: SqlDatabase,
  { clock, age, unpersisted }: SqlStoreOptions,
): Omit<Stores, "isDatabaseLost"> {
  const { db } = database;
  const jobs = new SqlJobs(database, clock, age);
  const events = new SqlEvents(clock, jobs);
  return {
    accounts: new SqlAccounts(db, clock),
    apiKeys: new SqlApiKeys(db, clock),
    agents: new SqlAgents(db, clock),
    calls: new SqlCalls(database, clock, age, jobs, events),
    redemptions: new SqlRedemptions(database, clock, age, unpersisted),
    retention: new SqlRetention(database, clock),
    epochs: new SqlEpochs(db),
    transfer: new SqlTransfer(database),
    jobs,
    openWebhooks: (keys) => new SqlWebhooks(database, clock, keys, jobs, events),
    sealingKeyIds: () => sealingKeyIds(db),
    close: () => db.destroy(),
  };
}

/** The keys that have sealed something in this database. */
async function sealingKeyIds(db: Kysely<Tables>): Promise<readonly string[]> {
  const rows = await db.selectFrom("sealing_keys").select("id").orderBy("id").execute();
  return rows.map(({ id }) => id);
}
