import { strict as assert } from "node:assert";
import type { ExpressionBuilder, Kysely, Selectable, SelectQueryBuilder, Transaction } from "kysely";
import type { AgeClock } from "../../core/age-clock.ts";
import type { Clock } from "../../core/clock.ts";
import { type AgeMs, addMs, type EpochMs, elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import type { JobId } from "../../core/ids.ts";
import {
  JOB_ERROR_CHARS_MAX,
  JOB_LEASE_MS,
  JOB_LOSSES_TOGETHER_MAX,
  JOB_PAYLOAD_BYTES_MAX,
  JOB_ROWS_PER_QUERY,
  JOB_SEPARATION_MS_FIRST,
  JOB_SEPARATION_MS_MAX,
  JOBS_PASSED_PER_CLAIM_MAX,
} from "../../core/limits/service/jobs.ts";
import { newId } from "../../core/new-id.ts";
import type { HolderOf } from "../cluster/node-store.ts";
import { FILE_JOB_KINDS, MOVABLE_JOB_KINDS } from "../job-kinds.ts";
import {
  type ClaimedJob,
  JOB_STATUSES,
  type JobClaim,
  type JobLoad,
  type JobOutcome,
  type JobQuery,
  type JobRecord,
  type JobStatistics,
  type JobStatus,
  type JobStore,
  type NewJob,
} from "../job-store.ts";
import { liveNodes } from "./cluster/held-calls.ts";
import type { SqlDatabase } from "./database.ts";
import { type LaneOfJobs, pendingLanes } from "./job-lanes.ts";
import type { SqlStoreOptions } from "./store-options.ts";
import type { Tables } from "./tables.ts";

type Row = Selectable<Tables["jobs"]>;

/** Lanes that one query asks for their oldest jobs. */
const LANES_PER_QUERY = 32;
/** The list of lanes serves for so many times as long as reading it took. */
const LANES_REST_FACTOR = 9;

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
  readonly #listeners: (() => void)[] = [];
  /** When jobs of other boots were looked for last. */
  #othersRecoveredMs: AgeMs | undefined;
  readonly #followers = new Map<string, JobFollower>();
  #lanes: { lanes: readonly LaneOfJobs[]; untilMs: MonotonicMs } | undefined;

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
      ...this.#after(delayMs),
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
    await this.#recoverOthers();
    const ids = await this.#dueIds({ kinds, fullLanes, limit });
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
    return rows.sort((one, other) => (one.id < other.id ? -1 : 1)).map((row) => this.#claimedOf(row));
  }

  /**
   * Those that are due the longest. An endpoint that hangs may have left a hundred thousand due jobs in its full lane:
   * where the first rows hold too many of them, the other lanes are asked by name.
   */
  async #dueIds({ kinds, fullLanes, limit }: Omit<JobClaim, "runnerId">): Promise<readonly JobId[]> {
    const rowsMax = limit + JOBS_PASSED_PER_CLAIM_MAX;
    const first = await this.#firstDue(rowsMax);
    const found = first.filter(({ kind, lane }) => kinds.includes(kind) && !fullLanes.includes(lane));
    if (found.length >= limit || first.length < rowsMax) return found.slice(0, limit).map(({ id }) => id);
    const nowMs = this.#age.nowMs();
    const lanes = (await this.#lanesWithJobs())
      .filter(({ lane, dueMs }) => dueMs <= nowMs && !fullLanes.includes(lane))
      .sort((one, other) => elapsedMs(other.dueMs, one.dueMs))
      .map(({ lane }) => lane);
    const ids = new Set(found.map(({ id }) => id));
    for (let asked = 0; asked < lanes.length && ids.size < limit; asked += LANES_PER_QUERY) {
      const some = lanes.slice(asked, asked + LANES_PER_QUERY);
      for (const id of await this.#oldestOf(some, kinds, limit)) ids.add(id);
    }
    return [...ids].slice(0, limit);
  }

  /** The first due jobs. Those whose claim has ended are among them: one statement looks for both, since most of the time there is neither. */
  async #firstDue(rowsMax: number): Promise<readonly Pick<Row, "id" | "kind" | "lane">[]> {
    const columns = ["id", "kind", "lane", "status", "due_age_ms"] as const;
    const lost = this.#running().where("boot_id", "=", this.#age.bootId).where("due_age_ms", "<=", this.#age.nowMs());
    const due = () => this.#due().select(columns).orderBy("due_age_ms").limit(rowsMax);
    const rows = await this.#db
      .selectFrom(due().as("due"))
      .selectAll()
      .unionAll(this.#db.selectFrom(lost.clearSelect().select(columns).limit(1).as("lost")).selectAll())
      .execute();
    if (rows.some(({ status }) => status === "running")) {
      await this.#release(lost);
      return await due().execute();
    }
    return rows.sort((one, other) => elapsedMs(other.due_age_ms, one.due_age_ms));
  }

  #running() {
    return this.#db.selectFrom("jobs").select("id").where("status", "=", "running").limit(JOB_ROWS_PER_QUERY);
  }

  /** Thousands of lanes may wait for later attempts: the list serves so long that reading it takes a tenth of the time. */
  async #lanesWithJobs(): Promise<readonly LaneOfJobs[]> {
    const begunMs = this.#clock.nowMs();
    if (this.#lanes !== undefined && begunMs < this.#lanes.untilMs) return this.#lanes.lanes;
    const lanes = await pendingLanes(this.#db, this.#age.bootId);
    const nowMs = this.#clock.nowMs();
    this.#lanes = { lanes, untilMs: addMs(nowMs, LANES_REST_FACTOR * elapsedMs(begunMs, nowMs)) };
    return lanes;
  }

  /** The jobs of each of these lanes that are due the longest, at most `limit` of each. */
  async #oldestOf(lanes: readonly string[], kinds: readonly string[], limit: number): Promise<readonly JobId[]> {
    const queries = lanes.map((lane) => {
      const oldest = this.#due().select("id").where("lane", "=", lane).where("kind", "in", kinds).orderBy("due_age_ms");
      return this.#db.selectFrom(oldest.limit(limit).as("oldest")).select("oldest.id");
    });
    const rows = await queries.reduce((all, query) => all.unionAll(query)).execute();
    return rows.map(({ id }) => id);
  }

  #due() {
    return this.#db
      .selectFrom("jobs")
      .where("status", "=", "pending")
      .where("boot_id", "=", this.#age.bootId)
      .where("due_age_ms", "<=", this.#age.nowMs())
      .where((jobs) => this.#isForThisNode(jobs));
  }

  /** In a cluster: of other nodes' jobs only those of nodes that are gone. A service without a name does all. */
  #isForThisNode(jobs: ExpressionBuilder<Tables, "jobs">) {
    const holder = this.#holderOf();
    if (holder === undefined) return jobs.lit(true);
    const isMovable = jobs("kind", "in", MOVABLE_JOB_KINDS);
    return jobs.or([
      jobs("node", "is", null),
      jobs("node", "=", holder.name),
      jobs.and([
        isMovable,
        jobs.not(jobs.exists(liveNodes(jobs, this.#database).whereRef("nodes.name", "=", "jobs.node"))),
      ]),
    ]);
  }

  /** Makes jobs pending whose claim another boot had, and gives those of another boot a time of this one. */
  async #recoverOthers(): Promise<void> {
    const nowMs = this.#age.nowMs();
    // Another boot has ended before the first claim of this store, so it is looked for seldom.
    if (this.#othersRecoveredMs !== undefined && elapsedMs(this.#othersRecoveredMs, nowMs) < JOB_LEASE_MS) return;
    this.#othersRecoveredMs = nowMs;
    // Two ranges of the index: an inequality would read all jobs of this boot.
    for (const isOther of ["<", ">"] as const) {
      await this.#release(this.#running().where("boot_id", isOther, this.#age.bootId));
      await this.#adopt(isOther);
    }
  }

  /** Ends the claims of these jobs, and separates those that were lost together several times. */
  async #release(lost: SelectQueryBuilder<Tables, "jobs", { id: JobId }>): Promise<void> {
    const jobs = await lost.select("losses").execute();
    if (jobs.length === 0) return;
    await this.#releaseAfter(0, lost.where("losses", "<", JOB_LOSSES_TOGETHER_MAX));
    for (const { id, losses } of jobs) {
      if (losses >= JOB_LOSSES_TOGETHER_MAX)
        await this.#releaseAfter(separationMs(losses + 1), lost.where("id", "=", id));
    }
  }

  async #releaseAfter(delayMs: number, lost: SelectQueryBuilder<Tables, "jobs", { id: JobId }>): Promise<void> {
    await this.#db
      .updateTable("jobs")
      .set((jobs) => ({ ...this.#uncounted(jobs), ...this.#after(delayMs), losses: jobs("losses", "+", 1) }))
      .where("id", "in", this.#database.locksRows ? lost.forUpdate().skipLocked() : lost)
      .execute();
  }

  /** Gives pending jobs of other boots a time of this one. */
  async #adopt(isOther: "<" | ">"): Promise<void> {
    const { bootId } = this.#age;
    const jobs = await this.#db
      .selectFrom("jobs")
      .select(["id", "due_at"])
      .where("status", "=", "pending")
      .where("boot_id", isOther, bootId)
      .limit(JOB_ROWS_PER_QUERY)
      .execute();
    for (const { id, due_at } of jobs) {
      const delayMs = Math.max(0, elapsedMs(this.#clock.epochMs(), due_at));
      await this.#db
        .updateTable("jobs")
        .set(this.#after(delayMs))
        .where("id", "=", id)
        .where("boot_id", "!=", bootId)
        .execute();
    }
    // As many again: there may be more, which the next claim looks for.
    if (jobs.length === JOB_ROWS_PER_QUERY) this.#othersRecoveredMs = undefined;
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
      return { status: "pending", ...nothing, ...this.#after(outcome.delayMs) };
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
    { kind, payload }: Pick<Row, "kind" | "payload">,
  ): Promise<AfterCommit | undefined> {
    return await this.#followers.get(kind)?.abandoned(db, JSON.parse(payload));
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
    const replayed = await this.#database.transaction(async (tx) => {
      const jobs = await tx
        .updateTable("jobs")
        .set({ status: "pending", attempts: 0, losses: 0, died_at: null, deadline_at: null, ...this.#after(0) })
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

  /** The lanes in which at least so many jobs wait. */
  async crowdedLanes(jobs: number): Promise<readonly string[]> {
    const crowded: string[] = [];
    for (const { lane } of await pendingLanes(this.#db, this.#age.bootId)) {
      const last = await this.#db
        .selectFrom("jobs")
        .select("id")
        .where("status", "=", "pending")
        .where("boot_id", "=", this.#age.bootId)
        .where("lane", "=", lane)
        .limit(1)
        .offset(jobs - 1)
        .executeTakeFirst();
      if (last !== undefined) crowded.push(lane);
    }
    return crowded;
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

  async load(countedMax: number): Promise<JobLoad> {
    const counts = { pending: 0, running: 0, dead: 0 };
    const byKind: JobLoad["byKind"][number][] = [];
    for (const status of JOB_STATUSES) {
      // An index has both columns.
      const some = this.#db.selectFrom("jobs").select("kind").where("status", "=", status).limit(countedMax);
      const rows = await this.#db
        .selectFrom(some.as("some"))
        .select("kind")
        .select(({ fn }) => fn.countAll<number>().as("jobs"))
        .groupBy("kind")
        .execute();
      for (const { kind, jobs } of rows) {
        byKind.push({ kind, status, jobs: Number(jobs) });
        counts[status] += Number(jobs);
      }
    }
    return { counts, byKind, oldestDueMs: await this.#oldestDueMs() };
  }

  async statistics(): Promise<JobStatistics> {
    const rows = await this.#db
      .selectFrom("jobs")
      .select(["kind", "status"])
      .select(({ fn }) => fn.countAll<number>().as("jobs"))
      .groupBy(["kind", "status"])
      .execute();
    return {
      counts: rows.map(({ kind, status, jobs }) => ({ kind, status: status as JobStatus, jobs: Number(jobs) })),
      oldestDueMs: await this.#oldestDueMs(),
    };
  }

  async #oldestDueMs(): Promise<number> {
    const oldest = await this.#db
      .selectFrom("jobs")
      .select(({ fn }) => fn.min("due_age_ms").as("due_age_ms"))
      .where("status", "=", "pending")
      .where("boot_id", "=", this.#age.bootId)
      .executeTakeFirst();
    const dueMs = oldest?.due_age_ms ?? null;
    return dueMs === null ? 0 : Math.max(0, elapsedMs(dueMs, this.#age.nowMs()));
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

const liveKeyOf = (kind: string, key: string): string => `${kind} ${key}`;

/** How long a job waits that was lost so often. */
function separationMs(losses: number): number {
  const boundMs = JOB_SEPARATION_MS_FIRST * 2 ** (losses - JOB_LOSSES_TOGETHER_MAX - 1);
  return Math.random() * Math.min(boundMs, JOB_SEPARATION_MS_MAX);
}

const isClaimedBy = (jobs: ExpressionBuilder<Tables, "jobs">, runnerId: string) =>
  jobs.and([jobs("status", "=", "running"), jobs("runner_id", "=", runnerId)]);

const recordOf = (row: Row): JobRecord => ({
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
