import type { Clock } from "../core/clock.ts";
import { JOB_PROGRESS_MS } from "../core/limits/service/jobs.ts";

/** Stores what one attempt reports: the latest report, JOB_PROGRESS_MS after the first one that was not stored. */
export class ProgressReports {
  readonly #store: (progress: unknown) => Promise<void>;
  readonly #clock: Clock;
  #latest: unknown;
  #cancel: (() => void) | undefined;
  #isOver = false;

  constructor(store: (progress: unknown) => Promise<void>, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  report(progress: unknown): void {
    this.#latest = progress;
    if (this.#isOver) return;
    this.#cancel ??= this.#clock.after(JOB_PROGRESS_MS, () => {
      this.#cancel = undefined;
      // No attempt fails for its progress; what the store cannot answer shows in the log of the runner.
      this.#store(this.#latest).catch(() => {});
    });
  }

  /** The attempt is over; nothing more is stored. */
  stop(): void {
    this.#isOver = true;
    this.#cancel?.();
  }
}
