import { Kysely, Migrator } from "kysely";
import { type AgeClock, systemAgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { openDataDir } from "../data-dir/data-dir.ts";
import type { Redemptions, UnpersistedPrompts } from "../redemptions.ts";
import type { Stores } from "../stores.ts";
import { SqliteAccounts } from "./accounts.ts";
import { SqliteAgents } from "./agents.ts";
import { SqliteApiKeys } from "./api-keys.ts";
import { SqliteCalls } from "./calls/calls.ts";
import { createDatabaseFile, databasePath, openDatabase } from "./database/database.ts";
import { DatabaseFiles } from "./database/database-files.ts";
import { SharedFileDialect } from "./database/dialect.ts";
import { MIGRATIONS } from "./database/migrations.ts";
import type { Tables } from "./database/tables.ts";
import { SqliteEpochs } from "./epochs.ts";
import { QueuedRedemptions } from "./queued-redemptions.ts";
import { SqliteRedemptions } from "./redemptions.ts";
import { SqliteRetention } from "./retention.ts";

export interface StoreOptions {
  /** Measures the age of tokens and idempotency keys; by default the clock of this machine. */
  ageClock?: AgeClock;
  /** Where the words of unrecorded calls are; by default in the memory of these stores. */
  unpersisted?: UnpersistedPrompts;
  /** Called before and after a migration of the schema, which blocks the event loop. */
  onMigration?: (isOver: boolean) => Promise<void>;
}

/**
 * Opens `trunkline.db` in `dataDir`, creates it if it does not exist, and migrates its schema. The control process is
 * its permanent user; command-line tools may open it in addition. Rejects when the file is not a database or has a
 * newer schema, and as `openDataDir` throws.
 */
export async function openStores(
  dataDir: string,
  clock: Clock,
  { ageClock = systemAgeClock(), unpersisted = new Map(), onMigration }: StoreOptions = {},
): Promise<Stores> {
  openDataDir(dataDir);
  const path = databasePath(dataDir);
  // Other users must not read prompts and transcripts; SQLite's other files take this file's mode.
  createDatabaseFile(path);
  const database = openDatabase(path);
  const files = new DatabaseFiles(path);
  const db = new Kysely<Tables>({ dialect: new SharedFileDialect(database, files) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
    const isOutdated = (await migrator.getMigrations()).some(({ executedAt }) => executedAt === undefined);
    if (isOutdated) await onMigration?.(false);
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    if (isOutdated) await onMigration?.(true);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    accounts: new SqliteAccounts(db, clock),
    apiKeys: new SqliteApiKeys(db, clock),
    agents: new SqliteAgents(db, clock),
    calls: new SqliteCalls(db, clock, ageClock, unpersisted),
    redemptions: new SqliteRedemptions(db, clock, ageClock, unpersisted),
    retention: new SqliteRetention(db, database, clock),
    epochs: new SqliteEpochs(db),
    isDatabaseLost: () => files.areLost,
    close: () => db.destroy(),
  };
}

/**
 * The redemptions of a database that `openStores` has opened before, in any process, on a separate connection. A commit
 * here never writes the write-ahead log back; the stores' connection does that, because no caller waits for it.
 */
export function openRedemptions(
  dataDir: string,
  clock: Clock,
  ageClock: AgeClock,
  unpersisted: Pick<UnpersistedPrompts, "get">,
): { redemptions: Redemptions; close(): Promise<void> } {
  const path = databasePath(dataDir);
  const file = openDatabase(path);
  file.exec("PRAGMA wal_autocheckpoint = 0");
  file.exec("PRAGMA busy_timeout = 0");
  const db = new Kysely<Tables>({ dialect: new SharedFileDialect(file, new DatabaseFiles(path)) });
  return {
    redemptions: new QueuedRedemptions(new SqliteRedemptions(db, clock, ageClock, unpersisted), clock),
    close: () => db.destroy(),
  };
}
