import type { Clock } from "../core/clock.ts";
import { JOB_STATISTICS_MS } from "../core/limits/jobs.ts";
import type { JobStatus, JobStore } from "../store/job-store.ts";

export interface JobCounts {
  counts: Readonly<Record<JobStatus, number>>;
  /** For how long the job that is due the longest has waited. */
  oldestDueMs: number;
}

/** How many jobs there are, as of the last reading; a scrape of the metrics does not query the store. */
export class JobStatisticsReader {
  readonly #jobs: Pick<JobStore, "statistics">;
  readonly #clock: Clock;
  #latest: JobCounts = { counts: { pending: 0, running: 0, dead: 0 }, oldestDueMs: 0 };

  constructor(jobs: Pick<JobStore, "statistics">, clock: Clock) {
    this.#jobs = jobs;
    this.#clock = clock;
  }

  get latest(): JobCounts {
    return this.#latest;
  }

  /** Reads as long as the process lives. While the store does not answer, the last reading stays. */
  start(): void {
    this.#clock.after(JOB_STATISTICS_MS, () => void this.#read().then(() => this.start()));
  }

  async #read(): Promise<void> {
    try {
      const { counts: rows, oldestDueMs } = await this.#jobs.statistics();
      const counts = { pending: 0, running: 0, dead: 0 };
      for (const { status, jobs } of rows) counts[status] += jobs;
      this.#latest = { counts, oldestDueMs };
    } catch {
      // What the store cannot answer shows in the log of the runner.
    }
  }
}
