import type { ExpressionBuilder, Selectable } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, elapsedMs } from "../../../core/clocks.ts";
import type { ClaimedJob, JobRecord, JobStatus } from "../../job-store.ts";
import type { Tables } from "../tables.ts";

/** A job as it is stored. */
export type JobRow = Selectable<Tables["jobs"]>;
/** To build conditions on jobs with. */
export type JobExpressions = ExpressionBuilder<Tables, "jobs">;

/** Identifies a job that is not over: no two of them have the same. */
export const liveKeyOf = (kind: string, key: string): string => `${kind} ${key}`;

/** The runner has the claim of the job. */
export const isClaimedBy = (jobs: JobExpressions, runnerId: string) =>
  jobs.and([jobs("status", "=", "running"), jobs("runner_id", "=", runnerId)]);

/** When jobs are due: by the age clock of this boot, and by the wall clock for a later one. */
export class JobTimes {
  readonly #clock: Clock;
  readonly #age: AgeClock;

  constructor(clock: Clock, age: AgeClock) {
    this.#clock = clock;
    this.#age = age;
  }

  /** The columns of a job that is due after this delay. */
  after(delayMs: number) {
    return {
      boot_id: this.#age.bootId,
      due_age_ms: addMs(this.#age.nowMs(), Math.round(delayMs)),
      due_at: addMs(this.#clock.epochMs(), Math.round(delayMs)),
    };
  }

  /** Pending again, as if the attempt had not begun. */
  uncounted(jobs: JobExpressions) {
    return { status: "pending", runner_id: null, attempts: jobs("attempts", "-", 1), ...this.after(0) };
  }

  /** A job for the runner that has claimed it, with the time that is left of its deadline. */
  claimedOf(row: JobRow): ClaimedJob {
    const { id, kind, lane, attempts, losses, created_at, deadline_at, progress } = row;
    return {
      id,
      kind,
      lane,
      ...(row.account_id !== null && { accountId: row.account_id }),
      payload: JSON.parse(row.payload),
      attempt: attempts,
      losses,
      createdAtMs: created_at,
      ...(deadline_at !== null && { remainingMs: elapsedMs(this.#clock.epochMs(), deadline_at) }),
      ...(progress !== null && { progress: JSON.parse(progress) }),
    };
  }
}

/** A job for those who look at it from outside. */
export const recordOf = (row: JobRow): JobRecord => ({
  id: row.id,
  kind: row.kind,
  ...(row.account_id !== null && { accountId: row.account_id }),
  payload: JSON.parse(row.payload),
  status: row.status as JobStatus,
  ...(row.live_key !== null && { key: row.live_key.slice(row.kind.length + 1) }),
  attempts: row.attempts,
  createdAtMs: row.created_at,
  ...(row.last_error !== null && { lastError: JSON.parse(row.last_error) }),
  ...(row.progress !== null && { progress: JSON.parse(row.progress) }),
});
