import { closeSync, openSync } from "node:fs";
import { join } from "node:path";
import { Kysely, Migrator } from "kysely";
import Libsql from "libsql";
import { type AgeClock, systemAgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { openDataDir } from "../data-dir/data-dir.ts";
import type { Redemptions, UnpersistedPrompts } from "../redemptions.ts";
import type { Stores } from "../stores.ts";
import { SqliteAgents } from "./agents.ts";
import { SqliteAccounts, SqliteApiKeys } from "./api-keys.ts";
import { SqliteCalls } from "./calls/calls.ts";
import { DatabaseFiles } from "./database/database-files.ts";
import { BUSY_TIMEOUT_MS, SharedFileDialect } from "./database/dialect.ts";
import { MIGRATIONS } from "./database/migrations.ts";
import type { Tables } from "./database/tables.ts";
import { SqliteEpochs } from "./epochs.ts";
import { QueuedRedemptions } from "./queued-redemptions.ts";
import { SqliteRedemptions } from "./redemptions.ts";
import { SqliteRetention } from "./retention.ts";

export interface StoreOptions {
  /** Measures the age of tokens and of named requests; this machine's unless given. */
  ageClock?: AgeClock;
  /** Where the words of unrecorded calls are; in these stores' own memory unless given. */
  unpersisted?: UnpersistedPrompts;
  /** Before, and after, the schema of an earlier version is brought up to date, during which the loop stands still. */
  onMigration?: (isOver: boolean) => Promise<void>;
}

/**
 * Opens `trunkline.db` in `dataDir`, makes it where there is none, and brings its schema up to date. The control process
 * is its one steady user; a command-line tool may open it beside that. Rejects when the file is no database or of a newer
 * schema, and as `openDataDir` throws.
 */
export async function openStores(
  dataDir: string,
  clock: Clock,
  { ageClock = systemAgeClock(), unpersisted = new Map(), onMigration }: StoreOptions = {},
): Promise<Stores> {
  openDataDir(dataDir);
  const path = databasePath(dataDir);
  // Prompts and transcripts are nobody else's; the files SQLite puts beside this one take its mode.
  createDatabaseFile(path);
  const database = openDatabase(path);
  const files = new DatabaseFiles(path);
  const db = new Kysely<Tables>({ dialect: new SharedFileDialect(database, files) });
  try {
    const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
    const isBehind = (await migrator.getMigrations()).some(({ executedAt }) => executedAt === undefined);
    if (isBehind) await onMigration?.(false);
    const { error } = await migrator.migrateToLatest();
    if (error !== undefined) throw error;
    if (isBehind) await onMigration?.(true);
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
 * The redemptions of a database that `openStores` has opened before, in this process or another, on a connection of their own.
 * A commit here never writes the log of changes back: that is left to the connection of the stores, which nobody waits for.
 */
export function openRedemptions(
  dataDir: string,
  clock: Clock,
  ageClock: AgeClock,
  unwritten: Pick<UnpersistedPrompts, "get">,
): { redemptions: Redemptions; close(): Promise<void> } {
  const path = databasePath(dataDir);
  const file = openDatabase(path);
  file.exec("PRAGMA wal_autocheckpoint = 0");
  file.exec("PRAGMA busy_timeout = 0");
  const db = new Kysely<Tables>({ dialect: new SharedFileDialect(file, new DatabaseFiles(path)) });
  return {
    redemptions: new QueuedRedemptions(new SqliteRedemptions(db, clock, ageClock, unwritten), clock),
    close: () => db.destroy(),
  };
}

const databasePath = (dataDir: string): string => join(dataDir, "trunkline.db");

/** Leaves a file alone that is there: closing a descriptor of it would free the locks that this process has on it by SQLite. */
function createDatabaseFile(path: string): void {
  try {
    closeSync(openSync(path, "ax", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
}

/** Opens the database with the settings that every connection of the service needs. Throws SQLite's errors. */
export function openDatabase(path: string): Libsql.Database {
  const file = new Libsql(path);
  file.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`);
  // Before the first table is made, or without effect: what retention deletes is given back to the file system.
  file.exec("PRAGMA auto_vacuum = INCREMENTAL");
  file.exec("PRAGMA journal_mode = WAL");
  // What is committed outlives a power cut.
  file.exec("PRAGMA synchronous = FULL");
  file.exec("PRAGMA foreign_keys = ON");
  // Overwrites what is deleted. Not a promise: SQLite can leave copies behind when it moves rows between pages (with
  // hundreds of calls alive, a piece of about one removed call in two thousand was found until something else took its
  // place), so words that must not be on disk are never put here, rather than removed later.
  file.exec("PRAGMA secure_delete = ON");
  // The first reading makes the two files that SQLite keeps beside this one.
  file.exec("SELECT count(*) FROM sqlite_schema");
  return file;
}
