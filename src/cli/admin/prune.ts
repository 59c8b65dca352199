import { readRetentionRules } from "../../config/environment.ts";
import { systemClock } from "../../core/clock.ts";
import { deletesAnything } from "../../core/retention.ts";
import { RetentionJob, type RetentionTotal } from "../../record/retention/job.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";

/**
 * Deletes now what retention would delete within the hour, or with `dryRun` only prints it; also while the service runs. Throws
 * when RETENTION is wrong or not set, or the data cannot be opened.
 */
export async function prune(place: StorePlace, dryRun: boolean, say: (line: string) => void): Promise<void> {
  const rules = readRetentionRules();
  if (!deletesAnything(rules)) {
    throw new Error('RETENTION is not set, so everything is kept: set it, for example to {"recordingDays": 30}');
  }
  const stores = await openStores(place, systemClock);
  const log = { info: () => {}, error: (fields: object, message: string) => say(`${message}: ${describe(fields)}`) };
  try {
    const { accounts, calls, retention: store } = stores;
    const retention = new RetentionJob({
      rules,
      accounts,
      calls,
      store,
      dataDir: place.dataDir,
      clock: systemClock,
      log,
    });
    const sums = await (dryRun ? retention.preview() : retention.run());
    for (const sum of sums) say(lineOf(sum, dryRun));
    if (sums.length === 0) say(dryRun ? "nothing would be deleted" : "nothing was to be deleted");
  } finally {
    await stores.close();
  }
}

const lineOf = ({ accountName, part, calls, bytes }: RetentionTotal, dryRun: boolean): string =>
  `account ${JSON.stringify(accountName)}: ${calls} ${part}${calls === 1 ? "" : "s"}, ${bytes} bytes of files, ` +
  (dryRun ? "would be deleted" : "deleted");

function describe(fields: object): string {
  const { callId = "", err }: { callId?: string; err?: unknown } = fields;
  return `${callId} ${err instanceof Error ? err.message : String(err)}`;
}
