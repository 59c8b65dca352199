import type { CallId, NodeName } from "../../core/ids.ts";
import type { RetainedPart } from "../../core/retention.ts";
import type { JobContext, JobHandler } from "../../jobs/handler.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import { CALL_FILES_JOB } from "../../store/job-kinds.ts";
import type { ClaimedJob, JobStore } from "../../store/job-store.ts";
import { deleteFiles, filesOf } from "./call-files.ts";

/** An attempt takes milliseconds; a disk that refuses is asked again for a long time, because what is left are words and audio. */
const ATTEMPT_MS_MAX = 60_000;
const RETRIES_MS = [1_000, 10_000, 60_000, ...Array.from({ length: 24 * 30 }, () => 3_600_000)];

export interface FilesElsewhereOptions {
  /** This node; undefined for a program beside the service. */
  own: NodeName | undefined;
  calls: Pick<CallStore, "nodeOf">;
  jobs: Pick<JobStore, "enqueue">;
}

/** Deletes the files of calls that another node of the cluster has carried, by a job that waits for that node. */
export class FilesElsewhere {
  readonly #options: FilesElsewhereOptions;

  constructor(options: FilesElsewhereOptions) {
    this.#options = options;
  }

  /** Resolves when it is certain that the other node deletes them. To be called while the store knows the call. Rejects as the store does. */
  async delete(callId: CallId, part: RetainedPart): Promise<void> {
    const { own, calls, jobs } = this.#options;
    const node = await calls.nodeOf(callId);
    if (node === undefined || node === own) return;
    await jobs.enqueue({ kind: CALL_FILES_JOB, payload: { callId, part }, key: `${callId} ${part}`, node });
  }
}

export interface CallFilesJobOptions {
  dataDir: string;
  /** Runs work on the files of a call alone. */
  withFiles: <T>(callId: CallId, work: () => Promise<T>) => Promise<T>;
  /** Deletes what the bucket has of a part of a call; undefined where there is no bucket. */
  removeShared: ((callId: CallId, part: RetainedPart) => Promise<void>) | undefined;
}

/**
 * Deletes files of a call on the disk of this node, whose call another node has deleted, or a part of it; then again in the bucket, because
 * this node may have shipped them there since, for example after it was cut off.
 */
export class CallFilesJob implements JobHandler {
  readonly attemptMsMax = ATTEMPT_MS_MAX;
  readonly retryDelaysMs = RETRIES_MS;
  readonly #options: CallFilesJobOptions;

  constructor(options: CallFilesJobOptions) {
    this.#options = options;
  }

  async run(job: ClaimedJob, _context: JobContext): Promise<void> {
    const { dataDir, withFiles, removeShared } = this.#options;
    const { callId, part } = job.payload as { callId: CallId; part: RetainedPart };
    await withFiles(callId, () => deleteFiles(filesOf(part, dataDir, callId)));
    await removeShared?.(callId, part);
  }
}
