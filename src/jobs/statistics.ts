import type { Clock } from "../core/clock.ts";
import { JOB_STATISTICS_MS, JOBS_COUNTED_MAX } from "../core/limits/service/jobs.ts";
import type { JobLoad, JobStore } from "../store/job-store.ts";

/** How many jobs there are, as of the last reading; a scrape of the metrics does not query the store. */
export class JobStatisticsReader {
  readonly #jobs: Pick<JobStore, "load">;
  readonly #clock: Clock;
  #latest: JobLoad = { counts: { pending: 0, running: 0, dead: 0 }, byKind: [], oldestDueMs: 0 };

  constructor(jobs: Pick<JobStore, "load">, clock: Clock) {
    this.#jobs = jobs;
    this.#clock = clock;
  }

  get latest(): JobLoad {
    return this.#latest;
  }

  /** Reads as long as the process lives. While the store does not answer, the last reading stays. */
  start(): void {
    this.#clock.after(JOB_STATISTICS_MS, () => void this.#read().then(() => this.start()));
  }

  async #read(): Promise<void> {
    try {
      this.#latest = await this.#jobs.load(JOBS_COUNTED_MAX);
    } catch {
      // What the store cannot answer shows in the log of the runner.
    }
  }
}
