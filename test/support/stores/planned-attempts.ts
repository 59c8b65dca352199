import { addMs, type MonotonicMs, monotonicMs } from "../../../src/core/clocks.ts";
import type { JobId } from "../../../src/core/ids.ts";
import type { JobStore } from "../../../src/store/job-store.ts";
import type { ManualClock } from "../manual-clock.ts";

/** Notes when jobs are to be attempted again, so that a test need not play the hours until then. */
export class PlannedAttempts {
  /** The delays of all retries, in order. */
  readonly delaysMs: number[] = [];
  readonly #clock: ManualClock;
  readonly #dueMs = new Map<JobId, MonotonicMs>();

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** When the next of them is due, in whole milliseconds; far away where there is none. */
  get nextMs(): MonotonicMs {
    return monotonicMs(Math.min(...[...this.#dueMs.values()].map(Number)));
  }

  /** The store, whose outcomes are noted. */
  observe(jobs: JobStore): JobStore {
    const settle: JobStore["settle"] = async (runnerId, outcomes) => {
      await jobs.settle(runnerId, outcomes);
      for (const [id, outcome] of outcomes) {
        this.#dueMs.delete(id);
        if (outcome.kind !== "retry") continue;
        this.delaysMs.push(outcome.delayMs);
        this.#dueMs.set(id, addMs(this.#clock.nowMs(), Math.ceil(outcome.delayMs)));
      }
    };
    return new Proxy(jobs, {
      get: (target, name: keyof JobStore) => (name === "settle" ? settle : target[name].bind(target)),
    });
  }
}
