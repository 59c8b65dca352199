import type { ClaimedJob } from "../store/job-store.ts";

/** What a handler may use while it works. */
export interface JobContext {
  /**
   * Aborts when the attempt has taken too long, when the job was cancelled or taken by another runner, and when the
   * process stops.
   */
  signal: AbortSignal;
  /**
   * Says how far the job is: small JSON without words of calls, that lists show and the next attempt of a lost one gets.
   * It may be called often: the latest report is stored every JOB_PROGRESS_MS, without waiting for it.
   */
  reportProgress(progress: unknown): void;
}

/** Does the jobs of one kind. */
export interface JobHandler {
  /** Rejects when the job is to be attempted again. Its effects must bear repetition: see `JobStore`. */
  run(job: ClaimedJob, context: JobContext): Promise<void>;
  /** How long an attempt may take. Its signal then aborts, and it counts as failed whether it returns or not. */
  attemptMsMax: number;
  /**
   * The delays before the second attempt, the third, ...; after the last one the job is dead. For a job that runs by a
   * schedule the last one repeats.
   */
  retryDelaysMs: readonly number[];
  /** How many of its jobs of one lane may be in progress in one process; JOBS_PER_LANE_MAX by default. */
  concurrentMax?: number;
  /**
   * How many of its jobs of all lanes may be in progress in one process; JOBS_CONCURRENT_MAX by default. For jobs that last for hours:
   * those that wait must not take the places of other kinds.
   */
  concurrentTotalMax?: number;
  /** When the job is to run, as cron(8) writes it, in UTC. There is then exactly one such job, which is never dead. */
  schedule?: string;
}

/**
 * Why an attempt failed, in words that operators may read: no secret and no word of a call. Of other errors only the kind
 * is stored.
 */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  /** `never`, or `planned` by the delays of the kind, or the delay before the next attempt instead of those. */
  readonly retry: "never" | "planned" | { afterMs: number };

  constructor(message: string, retry: JobFailure["retry"], options: { cause?: unknown } = {}) {
    super(message, options);
    this.retry = retry;
  }
}

/** The job cannot be done yet, and nothing has failed: it is attempted again after this time, with all its attempts. */
export class JobPostponed extends Error {
  override readonly name = "JobPostponed";
  readonly afterMs: number;

  constructor(afterMs: number) {
    super(`postponed by ${afterMs} ms`);
    this.afterMs = afterMs;
  }
}
