import { mkdir, rm } from "node:fs/promises";
import { systemClock } from "../../core/clock.ts";
import type { CallId } from "../../core/ids.ts";
import { LOCAL_FILES_PER_QUERY, SEGMENT_S_DEFAULT } from "../../core/limits/storage/bucket.ts";
import type { Logger } from "../../core/log/logger.ts";
import { JournalShipper } from "../../record/bucket/journal-shipper.ts";
import { callOfKey, JOURNALS_PREFIX } from "../../record/bucket/keys.ts";
import { LateDeletions } from "../../record/bucket/late-deletions.ts";
import { SharedJournals } from "../../record/bucket/shared-journals.ts";
import { SharedMedia } from "../../record/bucket/shared-media.ts";
import { SharedRecordings } from "../../record/bucket/shared-recordings.ts";
import type { FindMediaKey } from "../../record/finalization/journal-processor.ts";
import { journalDirectory, journalPath } from "../../record/journal/reader.ts";
import type { Bucket } from "../../store/bucket/bucket.ts";
import type { Stores } from "../../store/stores.ts";
import type { AdminOutput } from "./output.ts";

export interface SharedCallsOptions {
  bucket: Bucket;
  dataDir: string;
  stores: Pick<Stores, "jobs" | "retention">;
  findKey: FindMediaKey;
  log: Logger;
}

/** The calls whose journals are in the bucket, for a command that runs while no service does. */
export class SharedCalls {
  readonly media: SharedMedia;
  readonly #options: SharedCallsOptions;
  readonly #journals: SharedJournals;
  readonly #shipper: JournalShipper;

  constructor(options: SharedCallsOptions) {
    const { bucket, dataDir, stores, findKey, log } = options;
    this.#options = options;
    this.#journals = new SharedJournals(bucket);
    const lateDeletions = new LateDeletions(stores.jobs);
    const shared = { dataDir, journals: this.#journals, lateDeletions, clock: systemClock, log };
    this.#shipper = new JournalShipper({
      ...shared,
      findKey,
      // No call is live, and nothing is shipped but the journals of calls that get their records.
      liveCalls: () => new Set(),
      // No node runs on this database.
      ownershipOf: () => "certain",
      intervalMs: SEGMENT_S_DEFAULT * 1_000,
      onShipped: () => {},
      onFailed: () => {},
    });
    this.media = new SharedMedia({
      ...shared,
      recordings: new SharedRecordings(bucket, dataDir),
      shipper: this.#shipper,
      store: stores.retention,
      quietMs: 0,
      onUsed: () => {},
    });
  }

  /** The calls that have a journal in the bucket, in the order of their ids. */
  async calls({ progress }: Pick<AdminOutput, "progress">): Promise<readonly CallId[]> {
    const found = new Set<CallId>();
    let objects = 0;
    for await (const { key } of this.#options.bucket.list(JOURNALS_PREFIX)) {
      objects += 1;
      progress(() => `${objects} objects of the bucket listed`);
      const callId = callOfKey(key);
      if (callId !== undefined) found.add(callId);
    }
    return [...found];
  }

  /** Those of these calls that have their records. */
  async recorded(callIds: readonly CallId[]): Promise<ReadonlySet<CallId>> {
    const recorded = new Set<CallId>();
    for (let at = 0; at < callIds.length; at += LOCAL_FILES_PER_QUERY) {
      const kept = await this.#options.stores.retention.listKept(callIds.slice(at, at + LOCAL_FILES_PER_QUERY));
      for (const [callId, { endedAtMs, isExpired }] of kept)
        if (endedAtMs !== undefined && !isExpired) recorded.add(callId);
    }
    return recorded;
  }

  /** Does `work` with a file that has the beginning of the journal, which is deleted then. */
  async withHead<T>(callId: CallId, work: (path: string) => Promise<T>): Promise<T> {
    await mkdir(journalDirectory(this.#options.dataDir), { recursive: true, mode: 0o700 });
    const path = `${journalPath(this.#options.dataDir, callId)}.head.unfinished`;
    try {
      await this.#journals.fetchHead(callId, path);
      return await work(path);
    } finally {
      await rm(path, { force: true });
    }
  }

  /** The record is made: a journal that was fetched, and that the bucket has as a whole, is not needed on this disk. */
  async release(callId: CallId): Promise<void> {
    if (this.#shipper.isComplete(callId)) await rm(journalPath(this.#options.dataDir, callId), { force: true });
  }
}
