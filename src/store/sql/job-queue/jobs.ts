import { strict as assert } from "node:assert";
import type { Kysely, Transaction } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, type EpochMs } from "../../../core/clocks.ts";
import type { JobId } from "../../../core/ids.ts";
import {
  JOB_ERROR_CHARS_MAX,
  JOB_LEASE_MS,
  JOB_PAYLOAD_BYTES_MAX,
  JOB_ROWS_PER_QUERY,
} from "../../../core/limits/service/jobs.ts";
import { newId } from "../../../core/new-id.ts";
import type { HolderOf } from "../../cluster/node-store.ts";
import { FILE_JOB_KINDS, MOVABLE_JOB_KINDS } from "../../job-kinds.ts";
import type {
  ClaimedJob,
  JobClaim,
  JobLoad,
  JobOutcome,
  JobQuery,
  JobRecord,
  JobStatistics,
  JobStore,
  NewJob,
} from "../../job-store.ts";
import type { SqlDatabase } from "../database.ts";
import type { SqlStoreOptions } from "../store-options.ts";
import type { Tables } from "../tables.ts";
import { DueJobs } from "./due-jobs.ts";
import { crowdedLanes, jobLoad, jobStatistics, listJobs } from "./lists.ts";
import { isClaimedBy, type JobRow, JobTimes, liveKeyOf, recordOf } from "./rows.ts";

export type AfterCommit = () => void;

/** Writes, in the transaction of a job, what its end means for the fact that waits for it. */
export interface JobFollower {
  /** The job was cancelled, or is dead: it is not attempted any more. What is returned is called after the commit. */
  abandoned(db: Kysely<Tables>, payload: unknown): Promise<AfterCommit | undefined>;
  /** The dead job is attempted again. */
  replayed(db: Kysely<Tables>, payload: unknown): Promise<void>;
}

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
  readonly #times: JobTimes;
  readonly #due: DueJobs;
  readonly #listeners: (() => void)[] = [];
  readonly #followers = new Map<string, JobFollower>();
  readonly #holderOf: HolderOf;
  /** The kinds that this node does itself. */
  readonly #ownKinds: readonly string[];

  constructor(
    database: SqlDatabase,
    clock: Clock,
    age: AgeClock,
    { holderOf = () => undefined, sharesFiles = false }: Pick<SqlStoreOptions, "holderOf" | "sharesFiles"> = {},
  ) {
    this.#database = database;
    this.#holderOf = holderOf;
    this.#ownKinds = sharesFiles ? MOVABLE_JOB_KINDS : [...MOVABLE_JOB_KINDS, ...FILE_JOB_KINDS];
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#times = new JobTimes(clock, age);
    this.#due = new DueJobs({ database, clock, age, times: this.#times, holderOf });
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
    const [stored] = await this.insertAll(db, [job]);
    return stored;
  }

  /** As `insert`, in one statement. The ids of those that are stored. */
  async insertAll(db: Kysely<Tables> | Transaction<Tables>, jobs: readonly NewJob[]): Promise<readonly JobId[]> {
    if (jobs.length === 0) return [];
    const stored = await db
      .insertInto("jobs")
      .values(this.rowsOf(jobs))
      .onConflict((conflict) => conflict.column("live_key").where("live_key", "is not", null).doNothing())
      .returning("id")
      .execute();
    return stored.map(({ id }) => id);
  }

  /** For other stores: the rows of jobs that a combined write inserts. */
  rowsOf(jobs: readonly NewJob[]) {
    return jobs.map((job) => this.#rowOf(job));
  }

  #rowOf({ kind, lane = kind, payload, key, accountId, delayMs = 0, deadlineMs, node }: NewJob) {
    const nowMs = this.#clock.epochMs();
    const text = JSON.stringify(payload);
    assert.ok(Buffer.byteLength(text) <= JOB_PAYLOAD_BYTES_MAX, `the payload of a job of ${kind} is too large`);
    return {
      id: newId("job"),
      account_id: accountId ?? null,
      kind,
      lane,
      live_key: key === undefined ? null : liveKeyOf(kind, key),
      payload: text,
      status: "pending",
      ...this.#times.after(delayMs),
      deadline_at: deadlineMs === undefined ? null : addMs(nowMs, deadlineMs),
      attempts: 0,
      losses: 0,
      created_at: nowMs,
      node: node ?? (this.#ownKinds.includes(kind) ? (this.#holderOf()?.name ?? null) : null),
    };
  }

  /** Wakes the runners of this process. */
  notify(): void {
    for (const listener of this.#listeners) listener();
  }

  async claim({ runnerId, kinds, fullLanes, limit }: JobClaim): Promise<readonly ClaimedJob[]> {
    if (kinds.length === 0) return [];
    const ids = await this.#due.find({ kinds, fullLanes, limit });
    // Most polls find nothing, and need no write then.
    if (ids.length === 0) return [];
    // A claim that a power failure undoes is one that ends.
    const rows = await this.#database.withoutSync((db) => {
      const due = db.selectFrom("jobs").select("id").where("id", "in", ids).where("status", "=", "pending");
      return db
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
    });
    // A database returns them in any order; ids sort by creation.
    return rows.sort((one, other) => (one.id < other.id ? -1 : 1)).map((row) => this.#times.claimedOf(row));
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
    // An outcome that a power failure undoes is another attempt, as after the loss of a runner.
    await this.#database.withoutSync(async (db) => {
      const done = [...outcomes].filter(([, { kind }]) => kind === "done").map(([id]) => id);
      if (done.length > 0) {
        await db
          .deleteFrom("jobs")
          .where("id", "in", done)
          .where((jobs) => isClaimedBy(jobs, runnerId))
          .execute();
      }
      for (const [id, outcome] of outcomes) {
        if (outcome.kind === "again" || outcome.kind === "retry") await this.#settleOne(db, runnerId, id, outcome);
      }
    });
    const dead = [...outcomes].filter(([, { kind }]) => kind === "dead");
    if (dead.length === 0) return;
    // What waits for such a job changes with it, or not at all.
    const after = await this.#database.transaction(async (tx) => {
      const all: (AfterCommit | undefined)[] = [];
      for (const [id, outcome] of dead) {
        const settled = await this.#settleOne(tx, runnerId, id, outcome as Exclude<JobOutcome, { kind: "done" }>);
        if (settled !== undefined) all.push(await this.#abandon(tx, settled));
      }
      return all;
    });
    for (const call of after) call?.();
  }

  /** Undefined for a job that the runner no longer has. */
  async #settleOne(db: Kysely<Tables>, runnerId: string, id: JobId, outcome: Exclude<JobOutcome, { kind: "done" }>) {
    return await db
      .updateTable("jobs")
      .set(this.#columnsOf(outcome))
      .where("id", "=", id)
      .where((jobs) => isClaimedBy(jobs, runnerId))
      .returning(["kind", "payload"])
      .executeTakeFirst();
  }

  #columnsOf(outcome: Exclude<JobOutcome, { kind: "done" }>) {
    if (outcome.kind === "again") {
      const nothing = { runner_id: null, attempts: 0, losses: 0, last_error: null, progress: null };
      return { status: "pending", ...nothing, ...this.#times.after(outcome.delayMs) };
    }
    const last_error = JSON.stringify(outcome.error.slice(0, JOB_ERROR_CHARS_MAX));
    if (outcome.kind === "retry") {
      return { status: "pending", runner_id: null, last_error, ...this.#times.after(outcome.delayMs) };
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
      .set((jobs) => this.#times.uncounted(jobs))
      .where((jobs) => isClaimedBy(jobs, runnerId))
      .execute();
    this.notify();
  }

  async cancel(id: JobId): Promise<boolean> {
    const cancelled = await this.#database.transaction(async (tx) => {
      const job = await tx
        .deleteFrom("jobs")
        .where("id", "=", id)
        .where("status", "!=", "dead")
        .returning(["kind", "payload"])
        .executeTakeFirst();
      return job && { after: await this.#abandon(tx, job) };
    });
    cancelled?.after?.();
    return cancelled !== undefined;
  }

  /** For other stores: the live job of this kind and key. */
  async findLive(kind: string, key: string): Promise<JobId | undefined> {
    const job = await this.#db
      .selectFrom("jobs")
      .select("id")
      .where("live_key", "=", liveKeyOf(kind, key))
      .executeTakeFirst();
    return job?.id;
  }

  /** For other stores: deletes the job of a fact that needs it no more, with this key, and where it is dead with this payload. */
  async remove(db: Kysely<Tables>, kind: string, key: string, payload: object): Promise<void> {
    await db.deleteFrom("jobs").where("live_key", "=", liveKeyOf(kind, key)).execute();
    await db
      .deleteFrom("jobs")
      .where("kind", "=", kind)
      .where("status", "=", "dead")
      .where("payload", "=", JSON.stringify(payload))
      .execute();
  }

  /** For other stores: whose fact waits for the jobs of this kind. */
  follow(kind: string, follower: JobFollower): void {
    this.#followers.set(kind, follower);
  }

  async #abandon(
    db: Kysely<Tables>,
    { kind, payload }: Pick<JobRow, "kind" | "payload">,
  ): Promise<AfterCommit | undefined> {
    return await this.#followers.get(kind)?.abandoned(db, JSON.parse(payload));
  }

  async get(id: JobId): Promise<JobRecord | undefined> {
    const row = await this.#db.selectFrom("jobs").selectAll().where("id", "=", id).executeTakeFirst();
    return row && recordOf(row);
  }

  list(query: JobQuery): Promise<{ jobs: readonly JobRecord[]; more: boolean }> {
    return listJobs(this.#db, query);
  }

  load(countedMax: number): Promise<JobLoad> {
    return jobLoad(this.#db, this.#age, countedMax);
  }

  statistics(): Promise<JobStatistics> {
    return jobStatistics(this.#db, this.#age);
  }

  /** For other stores: the lanes in which at least so many jobs wait. */
  crowdedLanes(jobs: number): Promise<readonly string[]> {
    return crowdedLanes(this.#db, this.#age.bootId, jobs);
  }

  async replay(which: { kind: string } | { ids: readonly JobId[] }): Promise<number> {
    const replayed = await this.#database.transaction(async (tx) => {
      const jobs = await tx
        .updateTable("jobs")
        .set({ status: "pending", attempts: 0, losses: 0, died_at: null, deadline_at: null, ...this.#times.after(0) })
        .where("status", "=", "dead")
        .where((jobs) => ("kind" in which ? jobs("kind", "=", which.kind) : jobs("id", "in", which.ids)))
        .returning(["kind", "payload"])
        .execute();
      for (const { kind, payload } of jobs) await this.#followers.get(kind)?.replayed(tx, JSON.parse(payload));
      return jobs.length;
    });
    this.notify();
    return replayed;
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
}
