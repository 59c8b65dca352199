import { systemClock } from "../../core/clock.ts";
import { type OrphanReason, orphansIn } from "../../record/bucket/orphans.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { openBucket } from "./bucket.ts";
import type { AdminOutput } from "./output.ts";

/** Objects that are deleted together. */
const DELETED_TOGETHER = 100;

/** What was found, by the first part of the keys and the reason. */
type Sums = Map<string, { objects: number; bytes: number; reason: OrphanReason; place: string }>;

/**
 * Deletes from the bucket what belongs to no call, transcription or document of the database, or with `dryRun` only prints it; also while
 * the service runs. Throws when no bucket is configured, or the data cannot be opened.
 */
export async function cleanBucket(place: StorePlace, dryRun: boolean, { say, progress }: AdminOutput): Promise<void> {
  const stores = await openStores(place, systemClock, { migrates: false });
  try {
    const bucket = await openBucket(stores);
    if (bucket === undefined) throw new Error("BUCKET_URL is not set: there is no bucket to clean");
    const sums: Sums = new Map();
    let listed = 0;
    const onListed = (): void => {
      listed += 1;
      progress(() => `${listed} objects compared with the database`);
    };
    let keys: string[] = [];
    const deleteThem = async (): Promise<void> => {
      if (!dryRun) await bucket.delete(keys);
      keys = [];
    };
    for await (const orphan of orphansIn({ bucket, records: stores, clock: systemClock, onListed })) {
      add(sums, orphan);
      keys.push(orphan.key);
      if (keys.length === DELETED_TOGETHER) await deleteThem();
    }
    await deleteThem();
    report(sums, listed, dryRun, say);
  } finally {
    await stores.close();
  }
}

function add(sums: Sums, { key, bytes, reason }: { key: string; bytes: number; reason: OrphanReason }): void {
  const place = key.slice(0, key.indexOf("/"));
  const sum = sums.get(`${place} ${reason}`) ?? { objects: 0, bytes: 0, reason, place };
  sums.set(`${place} ${reason}`, { ...sum, objects: sum.objects + 1, bytes: sum.bytes + bytes });
}

const REASONS: Readonly<Record<OrphanReason, string>> = {
  unknown: "the database does not know",
  deleted: "the database has deleted",
};

function report(sums: Sums, listed: number, dryRun: boolean, say: AdminOutput["say"]): void {
  const verb = dryRun ? "would be deleted" : "deleted";
  for (const { place, objects, bytes, reason } of sums.values())
    say(`${place}: ${objects} objects of what ${REASONS[reason]}, ${bytes} bytes, ${verb}`);
  say(`${listed} objects compared with the database`);
}
