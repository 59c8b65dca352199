import { systemClock } from "../../core/clock.ts";
import { type EpochMs, elapsedMs } from "../../core/clocks.ts";
import { asJobId, type JobId } from "../../core/ids.ts";
import { JOB_HEARTBEAT_MS } from "../../core/limits/service/jobs.ts";
import { SCHEDULE_KEY } from "../../jobs/schedule.ts";
import { JOB_STATUSES, type JobRecord, type JobStatus, type JobStore } from "../../store/job-store.ts";
import { openStores, type StorePlace } from "../../store/open-stores.ts";
import { notACommand, notOneOf, surplusArgument, UsageError, wholeNumber } from "../command.ts";
import { printable, table } from "../terminal.ts";
import type { AdminOutput } from "./output.ts";

type Say = AdminOutput["say"];
type Work = (jobs: JobStore, say: Say) => Promise<void>;

/** The options of the commands, as they were given. */
export interface JobsOptions {
  status: string | undefined;
  kind: string | undefined;
  limit: string | undefined;
}

const LIMIT = { default: 50, max: 1_000 };

/** Reads what follows `jobs` in a command line. Throws UsageError. */
export function readJobsCommand(
  args: readonly string[],
  options: JobsOptions,
): (place: StorePlace, output: Pick<AdminOutput, "say">) => Promise<void> {
  const work = workOf(args, options);
  return async (place, { say }) => {
    const stores = await openStores(place, systemClock, { migrates: false });
    try {
      await work(stores.jobs, say);
    } finally {
      await stores.close();
    }
  };
}

function workOf([command, ...rest]: readonly string[], { status, kind, limit }: JobsOptions): Work {
  const ids = rest.map(asJobId);
  switch (command) {
    case undefined:
      refuseOptions("jobs", { status, kind, limit });
      return count;
    case "list":
      if (rest[0] !== undefined) throw new UsageError([surplusArgument(rest[0], "jobs list")]);
      return listOf({ status: statusOf(status), kind, limit: limitOf(limit) });
    case "replay":
      refuseOptions("jobs replay", { status, limit });
      if ((kind === undefined) === (ids.length === 0)) {
        throw new UsageError(["jobs replay needs either ids of dead jobs, which jobs list shows, or --kind"]);
      }
      return kind === undefined ? (jobs, say) => replay(jobs, ids, say) : (jobs, say) => replayKind(jobs, kind, say);
    case "cancel":
      refuseOptions("jobs cancel", { status, kind, limit });
      if (ids.length === 0) throw new UsageError(["jobs cancel needs ids of jobs: jobs list shows them"]);
      return (jobs, say) => cancel(jobs, ids, say);
    default:
      throw new UsageError([notACommand(command, "list, replay or cancel")]);
  }
}

function refuseOptions(command: string, options: Partial<JobsOptions>): void {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  if (given.length > 0) throw new UsageError(given.map(([name]) => `--${name} is not for ${command}`));
}

function statusOf(text: string | undefined): JobStatus | undefined {
  const status = JOB_STATUSES.find((one) => one === text);
  if (text !== undefined && status === undefined) throw new UsageError([notOneOf("--status", JOB_STATUSES, text)]);
  return status;
}

const limitOf = (text: string | undefined): number =>
  text === undefined ? LIMIT.default : wholeNumber("limit", text, 1, LIMIT.max);

async function count(jobs: JobStore, say: Say): Promise<void> {
  const { counts, oldestDueMs } = await jobs.statistics();
  if (counts.length === 0) {
    say("no jobs");
    return;
  }
  const kinds = [...new Set(counts.map(({ kind }) => kind))].sort();
  const cell = (kind: string, status: JobStatus): string =>
    String(counts.find((one) => one.kind === kind && one.status === status)?.jobs ?? 0);
  say(
    table([
      ["kind", ...JOB_STATUSES],
      ...kinds.map((kind) => [kind, ...JOB_STATUSES.map((status) => cell(kind, status))]),
    ]),
  );
  say(oldestDueMs > 0 ? `the oldest job that is due has waited ${durationText(oldestDueMs)}` : "no job is due");
}

const listOf =
  (query: { status: JobStatus | undefined; kind: string | undefined; limit: number }): Work =>
  async (jobs, say) => {
    const found = await jobs.list(query);
    const now = systemClock.epochMs();
    const headings = ["id", "kind", "status", "attempts", "age", "progress", "last error"];
    if (found.jobs.length === 0) say("no jobs");
    else say(table([headings, ...found.jobs.map((job) => rowOf(job, now))]));
    if (found.more) say(`there are more: --limit shows up to ${LIMIT.max}`);
  };

const rowOf = (job: JobRecord, now: EpochMs): string[] => [
  job.id,
  job.kind,
  job.status,
  String(job.attempts),
  durationText(elapsedMs(job.createdAtMs, now)),
  progressText(job.progress),
  oneLine(job.lastError ?? ""),
];

/** `calls 12, of 40` of `{"calls": 12, "of": 40}`. */
function progressText(progress: unknown): string {
  if (typeof progress !== "object" || progress === null) return progress === undefined ? "" : String(progress);
  return oneLine(
    Object.entries(progress)
      .map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`)
      .join(", "),
  );
}

const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, " ").trim();

async function replay(jobs: JobStore, ids: readonly JobId[], say: Say): Promise<void> {
  await refuseUnless(jobs, ids, (job) => (job.status === "dead" ? "" : `${job.id} is ${job.status}, not dead`));
  say(replayedText(await jobs.replay({ ids })));
}

async function replayKind(jobs: JobStore, kind: string, say: Say): Promise<void> {
  const replayed = await jobs.replay({ kind });
  say(replayed === 0 ? `no job of the kind ${kind} is dead` : replayedText(replayed));
}

const replayedText = (jobs: number): string =>
  `${jobs} ${jobs === 1 ? "job is" : "jobs are"} pending again, with all attempts and without a deadline`;

async function cancel(jobs: JobStore, ids: readonly JobId[], say: Say): Promise<void> {
  await refuseUnless(jobs, ids, (job) => {
    if (job.status === "dead") return `${job.id} is dead already`;
    return job.key === SCHEDULE_KEY ? `${job.id} runs by a schedule, which cannot be cancelled` : "";
  });
  for (const id of ids) {
    say(`${id} ${(await jobs.cancel(id)) ? "is cancelled" : "was done in the meantime"}`);
  }
  say(`an attempt that is in progress is aborted within ${JOB_HEARTBEAT_MS / 1_000} s`);
}

/** Throws with what is wrong about all of the jobs, before anything is done. */
async function refuseUnless(
  jobs: JobStore,
  ids: readonly JobId[],
  problemOf: (job: JobRecord) => string,
): Promise<void> {
  const problems: string[] = [];
  for (const id of ids) {
    const job = await jobs.get(id);
    const problem = job === undefined ? `there is no job ${id}: it is done, or was cancelled` : problemOf(job);
    if (problem !== "") problems.push(problem);
  }
  if (problems.length > 0) throw new Error([...problems, "nothing was changed"].join("\n"));
}

const UNITS: readonly (readonly [unit: string, unitMs: number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["min", 60_000],
  ["s", 1_000],
];

/** A duration in its largest unit: `3 h`. */
function durationText(durationMs: number): string {
  const [unit, unitMs] = UNITS.find(([, ms]) => durationMs >= ms) ?? ["s", 1_000];
  return `${Math.max(0, Math.floor(durationMs / unitMs))} ${unit}`;
}
