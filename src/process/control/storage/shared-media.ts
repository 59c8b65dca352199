import {
  openRecording,
  openSharedRecording,
  type RecordingFile,
} from "../../../api/calls/recordings/recording-file.ts";
import type { BucketConfig } from "../../../config/bucket.ts";
import type { Clock } from "../../../core/clock.ts";
import { codeOf, systemErrorCodeOf, TrunklineError, unavailable } from "../../../core/errors.ts";
import type { CallId } from "../../../core/ids.ts";
import { BUCKET_START_MS_MAX, ROOM_AWAITED_MS, SEGMENT_LATE_MS } from "../../../core/limits/storage/bucket.ts";
import type { Logger } from "../../../core/log/logger.ts";
import type { ControlMetrics } from "../../../core/metrics/control-metrics.ts";
import type { RetainedPart } from "../../../core/retention.ts";
import { type JobHandler, JobPostponed } from "../../../jobs/handler.ts";
import { FileCheckJob } from "../../../record/bucket/file-check-job.ts";
import { type CallOwnership, JournalShipper, type ShipperReading } from "../../../record/bucket/journal-shipper.ts";
import { BucketDeletionJob, LateDeletions } from "../../../record/bucket/late-deletions.ts";
import { LocalFiles } from "../../../record/bucket/local-files.ts";
import { SharedJournals } from "../../../record/bucket/shared-journals.ts";
import { SharedMedia } from "../../../record/bucket/shared-media.ts";
import { SharedRecordings } from "../../../record/bucket/shared-recordings.ts";
import type { FindMediaKey } from "../../../record/finalization/journal-processor.ts";
import { recordingPath } from "../../../record/recording/render.ts";
import { OwnBucket } from "../../../store/bucket/own-bucket.ts";
import { S3Bucket } from "../../../store/bucket/s3.ts";
import { SharedFiles } from "../../../store/bucket/shared-files.ts";
import type { Stores } from "../../../store/stores.ts";

export interface SharedMediaParts {
  config: BucketConfig;
  dataDir: string;
  stores: Pick<Stores, "bucketClaims" | "documents" | "jobs" | "retention" | "transcriptions">;
  /** The calls that workers of this node carry. */
  liveCalls: () => ReadonlySet<CallId>;
  ownershipOf: (callId: CallId) => CallOwnership;
  findKey: FindMediaKey;
  /** Media are encrypted, which uploads are not: those are not kept. */
  encryptsMedia: boolean;
  isDiskLow: () => boolean;
  /** Runs work on the files of a call alone. */
  withFiles: <T>(callId: CallId, work: () => Promise<T>) => Promise<T>;
  metrics: ControlMetrics;
  clock: Clock;
  log: Logger;
}

/** What the control process does with the bucket. */
export interface SharedMediaOfService {
  media: SharedMedia;
  recordings: SharedRecordings;
  /** The files that clients have uploaded. */
  files: SharedFiles;
  /** Deletes what arrived late. */
  deletions: JobHandler;
  /** Deletes files that nothing has. */
  fileChecks: JobHandler;
  /** Deletes what the bucket has of a part of a call. */
  removeShared: (callId: CallId, part: RetainedPart) => Promise<void>;
  /** What of the journals is not in the bucket yet. */
  waiting(): ShipperReading;
  /** Ships what the bucket does not have yet of the journals of this node. Never rejects. */
  shipNow(): Promise<void>;
  /** Begins to ship journals and to check local files. */
  start(): void;
  close(): void;
}

/**
 * Opens the bucket. Rejects with `bad_configuration` where it refuses the service or belongs to another database. One that does not answer
 * is no reason not to start: it is asked again before anything is written to it.
 */
export async function openSharedMedia(parts: SharedMediaParts): Promise<SharedMediaOfService> {
  const { config, dataDir, stores, findKey, encryptsMedia, isDiskLow, withFiles, metrics, clock, log } = parts;
  const bucket = new OwnBucket(new S3Bucket(config), stores.bucketClaims);
  await checkAtStart(bucket, parts);
  const journals = new SharedJournals(bucket);
  const recordings = new SharedRecordings(bucket, dataDir);
  const lateDeletions = new LateDeletions(stores.jobs);
  const shipper = new JournalShipper({
    dataDir,
    journals,
    lateDeletions,
    liveCalls: parts.liveCalls,
    ownershipOf: parts.ownershipOf,
    findKey,
    intervalMs: config.segmentS * 1_000,
    clock,
    log,
    onShipped: (bytes) => metrics.journalShipped(bytes),
    onFailed: () => metrics.shippingFailed(),
  });
  const { retention: store } = stores;
  const files = new LocalFiles({ dataDir, journals, recordings, shipper, store, withFiles, clock, log });
  const onUsed = (callId: CallId): void => files.used(callId);
  const quietMs = config.segmentS * 1_000 + SEGMENT_LATE_MS;
  const shared = { dataDir, journals, recordings, shipper, store, lateDeletions };
  const media = new SharedMedia({ ...shared, quietMs, onUsed, clock, log });
  return {
    media,
    recordings,
    deletions: new BucketDeletionJob({
      removePart: (callId, part) => media.removeNow(callId, part),
      removeOriginal: (callId, kept) => media.removeOriginal(callId, kept),
    }),
    files: new SharedFiles({ bucket, jobs: stores.jobs, clock, requireRoom: requireRoom(isDiskLow) }),
    fileChecks: new FileCheckJob({
      transcriptions: stores.transcriptions,
      documents: stores.documents,
      bucket,
      encryptsMedia,
    }),
    removeShared: (callId, part) => media.remove(callId, part),
    waiting: () => shipper.reading,
    shipNow: () => shipper.shipNow(),
    start() {
      shipper.start();
      files.start();
    },
    close() {
      void shipper.close();
      files.close();
    },
  };
}

/** Jobs alone fetch files: another node that has room may do them. */
const requireRoom = (isDiskLow: () => boolean) => (): void => {
  if (isDiskLow()) throw new JobPostponed(ROOM_AWAITED_MS);
};

async function checkAtStart(bucket: OwnBucket, { config, clock, log }: SharedMediaParts): Promise<void> {
  const url = config.url;
  try {
    await Promise.race([
      bucket.check(),
      new Promise<never>((_, reject) => {
        clock.after(BUCKET_START_MS_MAX, () => reject(unavailable("the bucket did not answer in time")));
      }),
    ]);
    log.info({ url }, "bucket opened");
  } catch (error) {
    const code = codeOf(error);
    if (code === "unavailable") {
      log.error({ url, err: error, code }, "bucket is unavailable: journals and recordings wait on this disk");
      return;
    }
    if (code !== "bucket_refused" && code !== "wrong_bucket") throw error;
    const what = error instanceof Error ? error.message : String(error);
    throw new TrunklineError("bad_configuration", "caller", `BUCKET_URL ${url} cannot be used: ${what}`, {
      cause: error,
    });
  }
}

/** The recording of a call: on this disk, or else in the bucket. Rejects with `unavailable` where it is in neither yet. */
export const storedRecordings =
  (dataDir: string, findKey: FindMediaKey, recordings: SharedRecordings | undefined) =>
  async (callId: CallId): Promise<RecordingFile> => {
    const key = await findKey(callId);
    const isShared = recordings !== undefined;
    try {
      return await openRecording({ path: recordingPath(dataDir, callId), key }, isShared);
    } catch (error) {
      if (!isShared || systemErrorCodeOf(error) !== "ENOENT") throw error;
    }
    const shared = await recordings.open(callId);
    if (shared === undefined) throw unavailable("the recording is not in the bucket yet");
    return await openSharedRecording(shared.file, shared.bytes, key);
  };
