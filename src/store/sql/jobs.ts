import type { ExpressionBuilder, Kysely, Selectable, Transaction } from "kysely";
import type { AgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs } from "../../core/clocks.ts";
import type { JobId } from "../../core/ids.ts";
import { JOB_ERROR_CHARS_MAX, JOB_LEASE_MS, JOB_ROWS_PER_QUERY } from "../../core/limits/jobs.ts";
import { newId } from "../../core/new-id.ts";
import type {
  ClaimedJob,
  JobClaim,
  JobOutcome,
  JobQuery,
  JobRecord,
  JobStatistics,
  JobStatus,
  JobStore,
  NewJob,
} from "../job-store.ts";
import type { SqlDatabase } from "./database.ts";
import type { Tables } from "./tables.ts";

type Row = Selectable<Tables["jobs"]>;

/**
 * See `JobStore`. `due_age_ms` is when a pending job is due, and when the claim of a running one ends; it is of the age
 * clock, so a step of the wall clock neither delays a job nor ends a claim. A job of an earlier boot gets its time from
 * the wall clock.
 */
export class SqlJobs implements JobStore {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #listeners: (() => void)[] = [];

  constructor(database: SqlDatabase, clock: Clock, age: AgeClock) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
  }

  onEnqueued(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async enqueue(job: NewJob): Promise<JobId | undefined> {
    const id = await this.insert(this.#db, job);
    this.notify();
    return id;
  }

  /** For other stores: a job in the transaction of the fact that needs it. Call `notify` after the commit. */
  async insert(db: Kysely<Tables> | Transaction<Tables>, job: NewJob): Promise<JobId | undefined> {
    const { kind, lane = kind, payload, key, accountId, delayMs = 0, deadlineMs } = job;
    const nowMs = this.#clock.epochMs();
    const row = {
      id: newId("job"),
      account_id: accountId ?? null,
      kind,
      lane,
      live_key: key === undefined ? null : `${kind} ${key}`,
      payload: JSON.stringify(payload),
      status: "pending",
      ...this.#after(delayMs),
      deadline_at: deadlineMs === undefined ? null : addMs(nowMs, deadlineMs),
      attempts: 0,
      losses: 0,
      created_at: nowMs,
    };
    const stored = await db
      .insertInto("jobs")
      .values(row)
      .onConflict((conflict) => conflict.column("live_key").doNothing())
      .returning("id")
      .executeTakeFirst();
    return stored?.id;
  }

  /** Wakes the runners of this process. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async claim({ runnerId, kinds, fullLanes, limit }: JobClaim): Promise<readonly ClaimedJob[]> {
    if (kinds.length === 0) return [];
    await this.#recover();
    let due = this.#db
      .selectFrom("jobs")
      .select("id")
      .where("status", "=", "pending")
      .where("boot_id", "=", this.#age.bootId)
      .where("due_age_ms", "<=", this.#age.nowMs())
      .where("kind", "in", kinds)
      .orderBy("due_age_ms")
      .limit(limit);
    if (fullLanes.length > 0) due = due.where("lane", "not in", fullLanes);
    // Most polls find nothing, and need no write then.
    if ((await due.limit(1).executeTakeFirst()) === undefined) return [];
    const rows = await this.#db
      .updateTable("jobs")
      .set((jobs) => ({
        status: "running",
        runner_id: runnerId,
        due_age_ms: addMs(this.#age.nowMs(), JOB_LEASE_MS),
        attempts: jobs("attempts", "+", 1),
      }))
      .where("id", "in", this.#database.locksRows ? due.forUpdate().skipLocked() : due)
      .returningAll()
      .execute();
    // A database returns them in any order; ids sort by creation.
    return rows.sort((one, other) => (one.id < other.id ? -1 : 1)).map((row) => this.#claimedOf(row));
  }

  /** Makes jobs pending whose claim has ended, and gives those of an earlier boot a time of this one. */
  async #recover(): Promise<void> {
    const { bootId } = this.#age;
    const lost = this.#db
      .selectFrom("jobs")
      .select("id")
      .where("status", "=", "running")
      .where((jobs) => jobs.or([jobs("boot_id", "!=", bootId), jobs("due_age_ms", "<=", this.#age.nowMs())]))
      .limit(JOB_ROWS_PER_QUERY);
    if ((await lost.executeTakeFirst()) !== undefined) {
      await this.#db
        .updateTable("jobs")
        .set((jobs) => ({
          ...this.#uncounted(jobs),
          losses: jobs("losses", "+", 1),
        }))
        .where("id", "in", this.#database.locksRows ? lost.forUpdate().skipLocked() : lost)
        .execute();
    }
    const earlier = await this.#db
      .selectFrom("jobs")
      .select(["id", "due_at"])
      .where("status", "=", "pending")
      .where("boot_id", "!=", bootId)
      .limit(JOB_ROWS_PER_QUERY)
      .execute();
    for (const { id, due_at } of earlier) {
      const delayMs = Math.max(0, elapsedMs(this.#clock.epochMs(), due_at));
      await this.#db
        .updateTable("jobs")
        .set(this.#after(delayMs))
        .where("id", "=", id)
        .where("boot_id", "!=", bootId)
        .execute();
    }
  }

  async extend(runnerId: string, ids: readonly JobId[]): Promise<readonly JobId[]> {
    if (ids.length === 0) return [];
    const rows = await this.#db
      .updateTable("jobs")
      .set({ due_age_ms: addMs(this.#age.nowMs(), JOB_LEASE_MS) })
      .where("id", "in", ids)
      .where((jobs) => isClaimedBy(jobs, runnerId))
      .returning("id")
      .execute();
    const held = new Set(rows.map(({ id }) => id));
    return ids.filter((id) => !held.has(id));
  }

  async settle(runnerId: string, outcomes: ReadonlyMap<JobId, JobOutcome>): Promise<void> {
    if (outcomes.size === 0) return;
    await this.#database.transaction(async (tx) => {
      const done = [...outcomes].filter(([, { kind }]) => kind === "done").map(([id]) => id);
      if (done.length > 0) {
        await tx
          .deleteFrom("jobs")
          .where("id", "in", done)
          .where((jobs) => isClaimedBy(jobs, runnerId))
          .execute();
      }
      for (const [id, outcome] of outcomes) {
        if (outcome.kind === "done") continue;
        await tx
          .updateTable("jobs")
          .set(this.#columnsOf(outcome))
          .where("id", "=", id)
          .where((jobs) => isClaimedBy(jobs, runnerId))
          .execute();
      }
    });
  }

  #columnsOf(outcome: Exclude<JobOutcome, { kind: "done" }>) {
    if (outcome.kind === "again") {
      return { status: "pending", runner_id: null, attempts: 0, last_error: null, ...this.#after(outcome.delayMs) };
    }
    const last_error = JSON.stringify(outcome.error.slice(0, JOB_ERROR_CHARS_MAX));
    if (outcome.kind === "retry") {
      return { status: "pending", runner_id: null, last_error, ...this.#after(outcome.delayMs) };
    }
    return { status: "dead", runner_id: null, live_key: null, last_error, died_at: this.#clock.epochMs() };
  }

  async reportProgress(runnerId: string, id: JobId, progress: unknown): Promise<void> {
    await this.#db
      .updateTable("jobs")
      .set({ progress: JSON.stringify(progress) })
      .where("id", "=", id)
      .where((jobs) => isClaimedBy(jobs, runnerId))
      .execute();
  }

  async release(runnerId: string): Promise<void> {
    await this.#db
      .updateTable("jobs")
      .set((jobs) => this.#uncounted(jobs))
      .where((jobs) => isClaimedBy(jobs, runnerId))
      .execute();
    this.notify();
  }

  async cancel(id: JobId): Promise<boolean> {
    const { numDeletedRows } = await this.#db
      .deleteFrom("jobs")
      .where("id", "=", id)
      .where("status", "!=", "dead")
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  async get(id: JobId): Promise<JobRecord | undefined> {
    const row = await this.#db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
    return row && recordOf(row);
  }

  async list({ status, kind, afterJobId, limit }: JobQuery): Promise<{ jobs: readonly JobRecord[]; more: boolean }> {
    let jobs = this.#db.selectFrom("jobs").selectAll();
    if (status !== undefined) jobs = jobs.where("status", "=", status);
    if (kind !== undefined) jobs = jobs.where("kind", "=", kind);
    if (afterJobId !== undefined) jobs = jobs.where("id", "<", afterJobId);
    // One row more than requested shows whether others follow.
    const rows = await jobs
      .orderBy("id", "desc")
      .limit(limit + 1)
      .execute();
    return { jobs: rows.slice(0, limit).map(recordOf), more: rows.length > limit };
  }

  async replay(which: { kind: string } | { ids: readonly JobId[] }): Promise<number> {
    const { numUpdatedRows } = await this.#db
      .updateTable("jobs")
      .set({ status: "pending", attempts: 0, losses: 0, died_at: null, deadline_at: null, ...this.#after(0) })
      .where("status", "=", "dead")
      .where((jobs) => ("kind" in which ? jobs("kind", "=", which.kind) : jobs("id", "in", which.ids)))
      .executeTakeFirst();
    this.notify();
    return Number(numUpdatedRows);
  }

  async deleteDead(diedBeforeMs: EpochMs): Promise<number> {
    const old = this.#db
      .selectFrom("jobs")
      .select("id")
      .where("status", "=", "dead")
      .where("died_at", "<", diedBeforeMs)
      .limit(JOB_ROWS_PER_QUERY);
    if ((await old.executeTakeFirst()) === undefined) return 0;
    const { numDeletedRows } = await this.#db.deleteFrom("jobs").where("id", "in", old).executeTakeFirst();
    return Number(numDeletedRows);
  }

  async statistics(): Promise<JobStatistics> {
    const rows = await this.#db
      .selectFrom("jobs")
      .select(["kind", "status"])
      .select(({ fn }) => fn.countAll<number>().as("jobs"))
      .groupBy(["kind", "status"])
      .execute();
    const oldest = await this.#db
      .selectFrom("jobs")
      .select(({ fn }) => fn.min("due_age_ms").as("due_age_ms"))
      .where("status", "=", "pending")
      .where("boot_id", "=", this.#age.bootId)
      .executeTakeFirst();
    const dueMs = oldest?.due_age_ms ?? null;
    return {
      counts: rows.map(({ kind, status, jobs }) => ({ kind, status: status as JobStatus, jobs: Number(jobs) })),
      oldestDueMs: dueMs === null ? 0 : Math.max(0, elapsedMs(dueMs, this.#age.nowMs())),
    };
  }

  /** Pending again, as if the attempt had not begun. */
  #uncounted(jobs: ExpressionBuilder<Tables, "jobs">) {
    return { status: "pending", runner_id: null, attempts: jobs("attempts", "-", 1), ...this.#after(0) };
  }

  #after(delayMs: number) {
    return {
      boot_id: this.#age.bootId,
      due_age_ms: addMs(this.#age.nowMs(), Math.round(delayMs)),
      due_at: addMs(this.#clock.epochMs(), Math.round(delayMs)),
    };
  }

  #claimedOf(row: Row): ClaimedJob {
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

const isClaimedBy = (jobs: ExpressionBuilder<Tables, "jobs">, runnerId: string) =>
  jobs.and([jobs("status", "=", "running"), jobs("runner_id", "=", runnerId)]);

const recordOf = (row: Row): JobRecord => ({
  id: row.id,
  kind: row.kind,
  ...(row.account_id !== null && { accountId: row.account_id }),
  payload: JSON.parse(row.payload),
  status: row.status as JobStatus,
  attempts: row.attempts,
  createdAtMs: row.created_at,
  ...(row.last_error !== null && { lastError: JSON.parse(row.last_error) }),
  ...(row.progress !== null && { progress: JSON.parse(row.progress) }),
});
