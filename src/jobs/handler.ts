import type { ClaimedJob } from "../store/job-store.ts";

/** What a handler may use while it works. */
export interface JobContext {
  /**
   * Aborts when the attempt has taken too long, when the job was cancelled or taken by another runner, and when the
   * process stops.
   */
  signal: AbortSignal;
  /** Stores how far the job is: small JSON that lists show, and that the next attempt of a lost one gets. */
  reportProgress(progress: unknown): Promise<void>;
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
  /** When the job is to run, as cron(8) writes it, in UTC. There is then exactly one such job, which is never dead. */
  schedule?: string;
}

/** An attempt failed in a way that no later attempt can mend, or that says itself when to try again. */
export class JobFailure extends Error {
  override readonly name = "JobFailure";
  /** `never`, or the delay before the next attempt, instead of that of the kind. */
  readonly retry: "never" | { afterMs: number };

  constructor(message: string, retry: JobFailure["retry"], options: { cause?: unknown } = {}) {
    super(message, options);
    this.retry = retry;
  }
}
