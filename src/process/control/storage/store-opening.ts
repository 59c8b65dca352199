import type { Clock } from "../../../core/clock.ts";
import { codeOf } from "../../../core/errors.ts";
import { MIGRATION_MS_MAX, PROCESS_START_MS_MAX } from "../../../core/limits/service/processes.ts";
import { POSTGRES_POLL_MS } from "../../../core/limits/storage/postgres.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { StoreOptions, Stores } from "../../../store/stores.ts";

export interface StoreOpeningOptions {
  /** Opens the stores. Rejects with `unavailable` while the database cannot be reached. */
  open: (options: Pick<StoreOptions, "onMigration">) => Promise<Stores>;
  /** Asks for more time to become ready. */
  extendStart: (readyWithinMs: number) => Promise<void>;
  clock: Clock;
  log: Logger;
}

/**
 * Opens the stores, and waits as long as the database cannot be reached: a service that starts before its database, or
 * during an outage, is ready when the database is. Rejects with any other error.
 */
export async function openStoresWhenAvailable(options: StoreOpeningOptions): Promise<Stores> {
  const { open, extendStart, clock, log } = options;
  const onMigration = (isOver: boolean): Promise<void> => {
    log.info(isOver ? "database migration finished" : "database migration started");
    return extendStart(isOver ? PROCESS_START_MS_MAX : MIGRATION_MS_MAX);
  };
  for (let isFirst = true; ; isFirst = false) {
    try {
      const stores = await open({ onMigration });
      if (!isFirst) log.info("database is available");
      return stores;
    } catch (error) {
      if (codeOf(error) !== "unavailable") throw error;
      if (isFirst) log.error({ err: error, code: codeOf(error) }, "database is unavailable: the start waits for it");
    }
    await extendStart(PROCESS_START_MS_MAX);
    await new Promise<void>((resolve) => {
      clock.after(POSTGRES_POLL_MS, resolve);
    });
  }
}
