import type { CallId } from "../../core/ids.ts";
import { BUCKET_DELETION_RETRIES_MS, BUCKET_LATE_MS } from "../../core/limits/storage/bucket.ts";
import type { RetainedPart } from "../../core/retention.ts";
import { type JobHandler, JobPostponed } from "../../jobs/handler.ts";
import { BUCKET_DELETION_JOB } from "../../store/job-kinds.ts";
import type { ClaimedJob, JobStore } from "../../store/job-store.ts";
import type { Edition } from "./keys.ts";

/** An attempt lists and deletes the objects of one call. */
const ATTEMPT_MS_MAX = 10 * 60_000;

/** What is deleted of a call: what goes with this part of it, or all editions of its journal but one. */
export type BucketDeletion = { callId: CallId; part: RetainedPart } | { callId: CallId; kept: Edition };

/**
 * Has a deletion repeated when nothing that was sent before can arrive in the bucket any more. It is a job, so that another node does it
 * where this one dies meanwhile.
 */
export class LateDeletions {
  readonly #jobs: Pick<JobStore, "enqueue">;

  constructor(jobs: Pick<JobStore, "enqueue">) {
    this.#jobs = jobs;
  }

  /** To be called before the first deletion. Rejects as the store does. */
  async plan(deletion: BucketDeletion): Promise<void> {
    const { callId } = deletion;
    const what = "part" in deletion ? deletion.part : deletion.kept;
    await this.#jobs.enqueue({
      kind: BUCKET_DELETION_JOB,
      payload: deletion,
      key: `${callId} ${what}`,
      delayMs: BUCKET_LATE_MS,
    });
  }
}

export interface BucketDeletionJobOptions {
  /** Deletes what goes with a part of a call. Resolves with whether there was something of its journal. */
  removePart: (callId: CallId, part: RetainedPart) => Promise<boolean>;
  /** Deletes the originals of a redacted call. Resolves with whether there was one. */
  removeOriginal: (callId: CallId, kept: Edition) => Promise<boolean>;
}

/**
 * Deletes from the bucket once more what was deleted there before, until an attempt finds nothing: a node that still ships the journal
 * has seen by then, for BUCKET_LATE_MS, that it was deleted.
 */
export class BucketDeletionJob implements JobHandler {
  readonly attemptMsMax = ATTEMPT_MS_MAX;
  readonly retryDelaysMs = BUCKET_DELETION_RETRIES_MS;
  readonly #options: BucketDeletionJobOptions;

  constructor(options: BucketDeletionJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob): Promise<void> {
    const deletion = job.payload as BucketDeletion;
    const { removePart, removeOriginal } = this.#options;
    const found = await ("part" in deletion
      ? removePart(deletion.callId, deletion.part)
      : removeOriginal(deletion.callId, deletion.kept));
    if (found) throw new JobPostponed(BUCKET_LATE_MS);
  }
}
