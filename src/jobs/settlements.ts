import type { Clock } from "../core/clock.ts";
import { codeOf } from "../core/errors.ts";
import type { JobId } from "../core/ids.ts";
import { JOBS_UNSETTLED_MAX } from "../core/limits/service/jobs.ts";
import type { Logger } from "../core/log/logger.ts";
import type { JobOutcome, JobStore } from "../store/job-store.ts";

/** Outcomes that come within this time are stored in one transaction, because each commit waits for the disk. */
const GATHER_MS = 5;
const PER_TRANSACTION_MAX = 200;
const RETRY_MS = 1_000;

/** Stores the outcomes of attempts, and tries again until the store has them. */
export class Settlements {
  readonly #jobs: Pick<JobStore, "settle">;
  readonly #runnerId: string;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #onRoom: () => void;
  readonly #waiting = new Map<JobId, JobOutcome>();
  #isScheduled = false;
  #onIdle: (() => void)[] = [];

  /** `onRoom`: after a time in which it was full, it is not any more. */
  constructor(options: {
    jobs: Pick<JobStore, "settle">;
    runnerId: string;
    clock: Clock;
    log: Logger;
    onRoom: () => void;
  }) {
    this.#jobs = options.jobs;
    this.#runnerId = options.runnerId;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#onRoom = options.onRoom;
  }

  /** Whether the outcome of this job is not stored yet. */
  has(id: JobId): boolean {
    return this.#waiting.has(id);
  }

  /** So many outcomes are not stored yet that no more jobs should be claimed. */
  get isFull(): boolean {
    return this.#waiting.size >= JOBS_UNSETTLED_MAX;
  }

  get ids(): readonly JobId[] {
    return [...this.#waiting.keys()];
  }

  add(id: JobId, outcome: JobOutcome): void {
    this.#waiting.set(id, outcome);
    this.#flushAfter(GATHER_MS);
  }

  /** Forgets an outcome: the job is another runner's now. */
  drop(id: JobId): void {
    this.#waiting.delete(id);
  }

  /** Resolves when nothing waits. */
  idle(): Promise<void> {
    if (this.#waiting.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
    });
  }

  #flushAfter(delayMs: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#clock.after(delayMs, () => void this.#flush());
  }

  async #flush(): Promise<void> {
    let delayMs = GATHER_MS;
    const batch = new Map([...this.#waiting].slice(0, PER_TRANSACTION_MAX));
    const wasFull = this.isFull;
    try {
      await this.#jobs.settle(this.#runnerId, batch);
      for (const [id, outcome] of batch) if (this.#waiting.get(id) === outcome) this.#waiting.delete(id);
    } catch (error) {
      this.#log.error(
        { jobs: batch.size, err: error, code: codeOf(error) },
        "outcomes of jobs could not be stored yet",
      );
      delayMs = RETRY_MS;
    }
    this.#isScheduled = false;
    if (wasFull && !this.isFull) this.#onRoom();
    if (this.#waiting.size > 0) this.#flushAfter(delayMs);
    else for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}
