import { type AgeClock, systemAgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { WAL_PAGES_MAX } from "../../core/limits/storage/storage.ts";
import { openDataDir } from "../data-dir/data-dir.ts";
import type { Redemptions, UnpersistedPrompts } from "../redemptions.ts";
import { SqlRedemptions } from "../sql/redemptions/redemptions.ts";
import { keepUnpersisted } from "../sql/redemptions/unpersisted-prompts.ts";
import { migrate, sqlStores } from "../sql/stores.ts";
import type { RedemptionKeys, StoreOptions, Stores } from "../stores.ts";
import { checkpointsInThread } from "./database/checkpoints.ts";
import { createDatabaseFile, databasePath, openDatabase } from "./database/database.ts";
import { DatabaseFiles } from "./database/database-files.ts";
import { SqliteDatabase } from "./database/sqlite-database.ts";
import { QueuedRedemptions } from "./queued-redemptions.ts";

/**
 * Opens `trunkline.db` in `dataDir`, creates it if it does not exist, and migrates its schema. The control process is
 * its permanent user; command-line tools may open it in addition. Rejects when the file is not a database, as
 * `migrate` does, and as `openDataDir` throws.
 */
export async function openSqliteStores(
  dataDir: string,
  clock: Clock,
  {
    ageClock = systemAgeClock(),
    unpersisted = new Map(),
    isService = false,
    mediaSealing,
    secretsKeys,
    isAuthenticStream,
    ...schema
  }: StoreOptions = {},
): Promise<Stores> {
  openDataDir(dataDir);
  const path = databasePath(dataDir);
  // Other users must not read prompts and transcripts; SQLite's other files take this file's mode.
  createDatabaseFile(path);
  const file = openDatabase(path);
  const files = new DatabaseFiles(path);
  const database = new SqliteDatabase(file, path, files);
  try {
    await migrate(database, schema);
  } catch (error) {
    await database.db.destroy();
    throw error;
  }
  const redemptionKeys = { mediaSealing, secretsKeys, isAuthenticStream };
  const stores = sqlStores(database, { clock, age: ageClock, unpersisted, ...redemptionKeys });
  stores.calls.subscribe(keepUnpersisted(unpersisted));
  const watched = { ...stores, isDatabaseLost: () => files.areLost, onServerChanged: () => {} };
  if (!isService) return watched;
  file.exec(`PRAGMA wal_autocheckpoint = ${WAL_PAGES_MAX}`);
  const endCheckpoints = checkpointsInThread(path);
  return {
    ...watched,
    close: async () => {
      await endCheckpoints();
      await stores.close();
    },
  };
}

/**
 * The redemptions of a database that `openSqliteStores` has opened before, in any process, on a separate connection. A commit
 * here never writes the write-ahead log back; the stores do that, because no caller waits for it.
 */
export function openSqliteRedemptions(
  dataDir: string,
  clock: Clock,
  ageClock: AgeClock,
  unpersisted: Pick<UnpersistedPrompts, "get">,
  keys: RedemptionKeys = {},
): { redemptions: Redemptions; close(): Promise<void> } {
  const path = databasePath(dataDir);
  const file = openDatabase(path);
  file.exec("PRAGMA wal_autocheckpoint = 0");
  file.exec("PRAGMA busy_timeout = 0");
  const database = new SqliteDatabase(file, path, new DatabaseFiles(path));
  return {
    redemptions: new QueuedRedemptions(
      new SqlRedemptions(database, { clock, age: ageClock, unpersisted, ...keys }),
      clock,
    ),
    close: () => database.db.destroy(),
  };
}
