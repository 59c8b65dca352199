import type { Kysely, SelectQueryBuilder } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import type { Clock } from "../../../core/clock.ts";
import { type AgeMs, addMs, elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import type { JobId } from "../../../core/ids.ts";
import {
  JOB_LEASE_MS,
  JOB_LOSSES_TOGETHER_MAX,
  JOB_ROWS_PER_QUERY,
  JOB_SEPARATION_MS_FIRST,
  JOB_SEPARATION_MS_MAX,
  JOBS_PASSED_PER_CLAIM_MAX,
} from "../../../core/limits/service/jobs.ts";
import type { HolderOf } from "../../cluster/node-store.ts";
import { MOVABLE_JOB_KINDS } from "../../job-kinds.ts";
import type { JobClaim } from "../../job-store.ts";
import { liveNodes } from "../cluster/held-calls.ts";
import type { SqlDatabase } from "../database.ts";
import type { Tables } from "../tables.ts";
import { type LaneOfJobs, pendingLanes } from "./lanes.ts";
import type { JobExpressions, JobRow, JobTimes } from "./rows.ts";

/** Lanes that one query asks for their oldest jobs. */
const LANES_PER_QUERY = 32;
/** The list of lanes serves for so many times as long as reading it took. */
const LANES_REST_FACTOR = 9;

/** What `DueJobs` uses of the store. */
export interface DueJobsParts {
  database: SqlDatabase;
  clock: Clock;
  age: AgeClock;
  times: JobTimes;
  holderOf: HolderOf;
}

type LostJobs = SelectQueryBuilder<Tables, "jobs", { id: JobId }>;

/** Finds the jobs to do next, and makes those pending again whose runner is lost. */
export class DueJobs {
  readonly #database: SqlDatabase;
  readonly #db: Kysely<Tables>;
  readonly #clock: Clock;
  readonly #age: AgeClock;
  readonly #times: JobTimes;
  readonly #holderOf: HolderOf;
  /** When jobs of other boots were looked for last. */
  #othersRecoveredMs: AgeMs | undefined;
  #lanes: { lanes: readonly LaneOfJobs[]; untilMs: MonotonicMs } | undefined;

  constructor({ database, clock, age, times, holderOf }: DueJobsParts) {
    this.#database = database;
    this.#db = database.db;
    this.#clock = clock;
    this.#age = age;
    this.#times = times;
    this.#holderOf = holderOf;
  }

  /**
   * The ids of the jobs that are due the longest. Before, claims that have ended are released, and jobs of other boots get a time of this
   * one. An endpoint that hangs may have left a hundred thousand due jobs in its full lane:
   * where the first rows hold too many of them, the other lanes are asked by name.
   */
  async find({ kinds, fullLanes, limit }: Omit<JobClaim, "runnerId">): Promise<readonly JobId[]> {
    await this.#recoverOthers();
    const rowsMax = limit + JOBS_PASSED_PER_CLAIM_MAX;
    const first = await this.#first(rowsMax);
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
  async #first(rowsMax: number): Promise<readonly Pick<JobRow, "id" | "kind" | "lane">[]> {
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
  #isForThisNode(jobs: JobExpressions) {
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
  async #release(lost: LostJobs): Promise<void> {
    const jobs = await lost.select("losses").execute();
    if (jobs.length === 0) return;
    await this.#releaseAfter(0, lost.where("losses", "<", JOB_LOSSES_TOGETHER_MAX));
    for (const { id, losses } of jobs) {
      if (losses >= JOB_LOSSES_TOGETHER_MAX)
        await this.#releaseAfter(separationMs(losses + 1), lost.where("id", "=", id));
    }
  }

  async #releaseAfter(delayMs: number, lost: LostJobs): Promise<void> {
    await this.#db
      .updateTable("jobs")
      .set((jobs) => ({
        ...this.#times.uncounted(jobs),
        ...this.#times.after(delayMs),
        losses: jobs("losses", "+", 1),
      }))
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
        .set(this.#times.after(delayMs))
        .where("id", "=", id)
        .where("boot_id", "!=", bootId)
        .execute();
    }
    // As many again: there may be more, which the next claim looks for.
    if (jobs.length === JOB_ROWS_PER_QUERY) this.#othersRecoveredMs = undefined;
  }
}

/** How long a job waits that was lost so often. */
function separationMs(losses: number): number {
  const boundMs = JOB_SEPARATION_MS_FIRST * 2 ** (losses - JOB_LOSSES_TOGETHER_MAX - 1);
  return Math.random() * Math.min(boundMs, JOB_SEPARATION_MS_MAX);
}
