import type { Clock } from "../../core/clock.ts";
import { DATABASE_POLL_MS } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { Stores } from "../stores.ts";

export interface MonitoredDatabase {
  stores: Pick<Stores, "isDatabaseLost">;
  dataDir: string;
  /** Whether it is a file in `dataDir`. */
  isFile: boolean;
}

const FILE_LOST =
  "database file was removed or replaced: nothing is written and new calls are refused: " +
  "restore the same files, or restart the service with restored ones";
const SERVER_LOST =
  "database does not answer or cannot be written to: new calls are refused, live calls continue, and ended ones wait in their journals";

const FILE_BACK = "database file is back: new calls are accepted";
const SERVER_BACK = "database is back: new calls are accepted";

/** Logs when the database is lost and when it is back, as long as the process lives. */
export function monitorDatabase({ stores, dataDir, isFile }: MonitoredDatabase, clock: Clock, log: Logger): void {
  let wasLost = false;
  const check = (): void => {
    const isLost = stores.isDatabaseLost();
    if (isLost && !wasLost) log.error({ dataDir }, isFile ? FILE_LOST : SERVER_LOST);
    else if (!isLost && wasLost) {
      log.info({ dataDir }, isFile ? FILE_BACK : SERVER_BACK);
    }
    wasLost = isLost;
    clock.after(DATABASE_POLL_MS, check);
  };
  check();
}
