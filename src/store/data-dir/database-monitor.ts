import type { Clock } from "../../core/clock.ts";
import { DATABASE_POLL_MS } from "../../core/limits/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { Stores } from "../stores.ts";

/** Logs when the store's files are removed or replaced, and when they are back, as long as the process lives. */
export function monitorDatabaseFiles(
  stores: Pick<Stores, "isDatabaseLost">,
  dataDir: string,
  clock: Clock,
  log: Logger,
): void {
  let wasLost = false;
  const check = (): void => {
    const isLost = stores.isDatabaseLost();
    if (isLost && !wasLost) {
      const advice = "restore the same files, or restart the service with restored ones";
      log.error(
        { dataDir },
        `database file was removed or replaced: nothing is written and new calls are refused: ${advice}`,
      );
    } else if (!isLost && wasLost) log.info({ dataDir }, "database file is back: new calls are accepted");
    wasLost = isLost;
    clock.after(DATABASE_POLL_MS, check);
  };
  check();
}
