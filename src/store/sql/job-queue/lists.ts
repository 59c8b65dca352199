import type { Kysely } from "kysely";
import type { AgeClock } from "../../../core/age-clock.ts";
import { elapsedMs } from "../../../core/clocks.ts";
import {
  JOB_STATUSES,
  type JobLoad,
  type JobQuery,
  type JobRecord,
  type JobStatistics,
  type JobStatus,
} from "../../job-store.ts";
import type { Tables } from "../tables.ts";
import { pendingLanes } from "./lanes.ts";
import { recordOf } from "./rows.ts";

/** See `JobStore.list`. */
export async function listJobs(
  db: Kysely<Tables>,
  { status, kind, afterJobId, limit }: JobQuery,
): Promise<{ jobs: readonly JobRecord[]; more: boolean }> {
  let jobs = db.selectFrom("jobs").selectAll();
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

/** See `JobStore.load`. */
export async function jobLoad(db: Kysely<Tables>, age: AgeClock, countedMax: number): Promise<JobLoad> {
  const counts = { pending: 0, running: 0, dead: 0 };
  const byKind: JobLoad["byKind"][number][] = [];
  for (const status of JOB_STATUSES) {
    // An index has both columns.
    const some = db.selectFrom("jobs").select("kind").where("status", "=", status).limit(countedMax);
    const rows = await db
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
  return { counts, byKind, oldestDueMs: await oldestDueMs(db, age) };
}

/** See `JobStore.statistics`. */
export async function jobStatistics(db: Kysely<Tables>, age: AgeClock): Promise<JobStatistics> {
  const rows = await db
    .selectFrom("jobs")
    .select(["kind", "status"])
    .select(({ fn }) => fn.countAll<number>().as("jobs"))
    .groupBy(["kind", "status"])
    .execute();
  return {
    counts: rows.map(({ kind, status, jobs }) => ({ kind, status: status as JobStatus, jobs: Number(jobs) })),
    oldestDueMs: await oldestDueMs(db, age),
  };
}

async function oldestDueMs(db: Kysely<Tables>, age: AgeClock): Promise<number> {
  const oldest = await db
    .selectFrom("jobs")
    .select(({ fn }) => fn.min("due_age_ms").as("due_age_ms"))
    .where("status", "=", "pending")
    .where("boot_id", "=", age.bootId)
    .executeTakeFirst();
  const dueMs = oldest?.due_age_ms ?? null;
  return dueMs === null ? 0 : Math.max(0, elapsedMs(dueMs, age.nowMs()));
}

/** The lanes in which at least so many jobs wait. */
export async function crowdedLanes(db: Kysely<Tables>, bootId: string, jobs: number): Promise<readonly string[]> {
  const crowded: string[] = [];
  for (const { lane } of await pendingLanes(db, bootId)) {
    const last = await db
      .selectFrom("jobs")
      .select("id")
      .where("status", "=", "pending")
      .where("boot_id", "=", bootId)
      .where("lane", "=", lane)
      .limit(1)
      .offset(jobs - 1)
      .executeTakeFirst();
    if (last !== undefined) crowded.push(lane);
  }
  return crowded;
}
