import { randomUUID } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { elapsedMs } from "../core/clocks.ts";
import { codeOf } from "../core/errors.ts";
import type { JobId } from "../core/ids.ts";
import {
  JOB_HEARTBEAT_MS,
  JOB_LOSSES_MAX,
  JOB_POLL_MS,
  JOBS_CONCURRENT_MAX,
  JOBS_PER_CLAIM_MAX,
  JOBS_PER_CLAIM_MIN,
  JOBS_PER_LANE_MAX,
} from "../core/limits/service/jobs.ts";
import type { Logger } from "../core/log/logger.ts";
import type { ClaimedJob, JobOutcome, JobStore } from "../store/job-store.ts";
import { JobFailure, type JobHandler, JobPostponed } from "./handler.ts";
import { ProgressReports } from "./progress.ts";
import { outcomeOf } from "./retries.ts";
import { msUntilNext, SCHEDULE_KEY } from "./schedule.ts";
import { Settlements } from "./settlements.ts";

export interface JobRunnerOptions {
  jobs: JobStore;
  /** By kind. Jobs of other kinds are left to a runner that knows them. */
  handlers: Readonly<Record<string, JobHandler>>;
  clock: Clock;
  log: Logger;
  /** An attempt is over; called once for each. */
  onAttempt?: (kind: string, outcome: JobOutcome["kind"], tookMs: number) => void;
}

/** Of the free slots, a lane may take one part of so many. */
const LANE_SHARE = 8;

/** A claimed job: in progress, or waiting because its lane has enough in progress. */
interface Attempt {
  job: ClaimedJob;
  abort: AbortController;
}

/** Takes jobs from the store and does them, a limited number at once and of each lane. */
export class JobRunner {
  readonly #options: JobRunnerOptions;
  readonly #runnerId = `runner-${randomUUID()}`;
  readonly #settlements: Settlements;
  readonly #inProgress = new Map<JobId, Attempt>();
  /** Claimed jobs of full lanes, in the order of their claims. */
  readonly #waiting = new Map<JobId, ClaimedJob>();
  /** Lanes with jobs in progress. A lane has jobs of one kind. */
  readonly #lanes = new Map<string, { kind: string; count: number }>();
  #isStopped = false;
  /** The jobs that run by a schedule exist. */
  #hasSchedules = false;
  #isClaiming = false;
  /** A job was stored while a claim was in progress, which may not have seen it. */
  #claimsAgain = false;
  /** What the last claim may have left: jobs of lanes that were full, and any others, because it took as many as it might. */
  #lanesLeft: ReadonlySet<string> = new Set();
  #hasLeftOthers = true;
  /** So many slots the next claim waits for: those that were free for the last one, or JOBS_PER_CLAIM_MIN. */
  #filledTogether = JOBS_PER_CLAIM_MIN;
  #onIdle: (() => void)[] = [];

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#settlements = new Settlements({ ...options, runnerId: this.#runnerId, onRoom: () => this.#wake() });
  }

  /** Begins to take jobs, until `stop`. A store that is unavailable at first is asked again by and by. */
  start(): void {
    this.#options.jobs.onEnqueued(() => this.#wake());
    this.#poll();
    this.#heartbeat();
  }

  /**
   * Takes no more jobs, and resolves when those in progress are settled, or after `graceMs`; those that are left are
   * aborted and become another runner's.
   */
  async stop(graceMs: number): Promise<void> {
    const { clock, jobs, log } = this.#options;
    this.#isStopped = true;
    this.#waiting.clear();
    const grace = new Promise<void>((resolve) => {
      clock.after(graceMs, resolve);
    });
    await Promise.race([this.#idle(), grace]);
    const left = [...this.#inProgress.values()];
    // What becomes of them now is no outcome.
    this.#inProgress.clear();
    for (const { abort } of left) abort.abort(new Error("the service stops"));
    try {
      await jobs.release(this.#runnerId);
    } catch (error) {
      log.warn({ err: error, code: codeOf(error) }, "claims of jobs could not be released; they end by themselves");
    }
  }

  async #idle(): Promise<void> {
    if (this.#inProgress.size > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle.push(resolve);
      });
    }
    await this.#settlements.idle();
  }

  /** A job that runs by a schedule exists from the first start on. */
  async #ensureSchedules(): Promise<void> {
    const { handlers, jobs, clock } = this.#options;
    if (this.#hasSchedules) return;
    for (const [kind, { schedule }] of Object.entries(handlers)) {
      if (schedule === undefined) continue;
      await jobs.enqueue({ kind, payload: {}, key: SCHEDULE_KEY, delayMs: msUntilNext(schedule, clock.epochMs()) });
    }
    this.#hasSchedules = true;
  }

  #poll(): void {
    if (this.#isStopped) return;
    this.#wake();
    this.#options.clock.after(JOB_POLL_MS, () => this.#poll());
  }

  #wake(): void {
    if (this.#isClaiming) this.#claimsAgain = true;
    else void this.#claim();
  }

  async #claim(): Promise<void> {
    const { jobs, handlers, log } = this.#options;
    this.#isClaiming = true;
    try {
      await this.#ensureSchedules();
      do {
        this.#claimsAgain = false;
        // Those that wait use none: each lane of theirs is full, so there are few, and other lanes must not wait for them.
        const free = JOBS_CONCURRENT_MAX - this.#inProgress.size;
        this.#hasLeftOthers = true;
        if (this.#isStopped || free <= 0 || this.#settlements.isFull) return;
        this.#filledTogether = Math.min(free, JOBS_PER_CLAIM_MIN);
        const limit = Math.min(free, JOBS_PER_CLAIM_MAX);
        const fullLanes = [...this.#lanes].filter(([lane, { kind }]) => this.#isFull(lane, kind)).map(([lane]) => lane);
        const kinds = Object.keys(handlers).filter((kind) => !this.#isKindFull(kind));
        const claimed = await jobs.claim({ runnerId: this.#runnerId, kinds, fullLanes, limit });
        this.#lanesLeft = new Set(fullLanes);
        this.#hasLeftOthers = claimed.length === limit;
        for (const job of claimed) this.#take(job);
        if (this.#hasLeftOthers) this.#claimsAgain = true;
      } while (this.#claimsAgain);
    } catch (error) {
      log.error({ err: error, code: codeOf(error) }, "jobs could not be claimed");
    } finally {
      this.#isClaiming = false;
    }
  }

  #take(job: ClaimedJob): void {
    // Its claim had ended, because the store did not answer for a while, and this runner has got it again.
    if (this.#inProgress.has(job.id) || this.#waiting.has(job.id) || this.#settlements.has(job.id)) return;
    if (this.#isFull(job.lane, job.kind)) this.#waiting.set(job.id, job);
    else void this.#run(job);
  }

  async #run(job: ClaimedJob): Promise<void> {
    const { handlers, clock, log, onAttempt } = this.#options;
    const attempt: Attempt = { job, abort: new AbortController() };
    this.#inProgress.set(job.id, attempt);
    this.#lanes.set(job.lane, { kind: job.kind, count: this.#countOf(job.lane) + 1 });
    const begunMs = clock.nowMs();
    const outcome = await this.#outcomeOf(attempt, handlers[job.kind] as JobHandler);
    // Otherwise the job was cancelled, or is another runner's.
    if (this.#inProgress.get(job.id) === attempt) {
      this.#settlements.add(job.id, outcome);
      const tookMs = elapsedMs(begunMs, clock.nowMs());
      onAttempt?.(job.kind, outcome.kind, tookMs);
      const fields = { jobId: job.id, kind: job.kind, attempt: job.attempt, tookMs: Math.round(tookMs) };
      if (outcome.kind === "dead") log.error({ ...fields, reason: outcome.error }, "job is dead");
      else if (outcome.kind === "retry") log.info({ ...fields, reason: outcome.error }, "job failed");
    }
    this.#leave(attempt);
  }

  async #outcomeOf({ job, abort }: Attempt, handler: JobHandler): Promise<JobOutcome> {
    const { clock, jobs } = this.#options;
    const progress = new ProgressReports((latest) => jobs.reportProgress(this.#runnerId, job.id, latest), clock);
    try {
      if (job.remainingMs !== undefined && job.remainingMs <= 0)
        throw new JobFailure("its deadline has passed", "never");
      if (job.losses > JOB_LOSSES_MAX && handler.schedule === undefined) {
        // It may be what ends the process.
        return { kind: "dead", error: `its runner was lost ${job.losses} times` };
      }
      const reportProgress = progress.report.bind(progress);
      const work = handler.run(job, { signal: abort.signal, reportProgress });
      await this.#within(handler.attemptMsMax, work, abort);
      if (handler.schedule === undefined) return { kind: "done" };
      return { kind: "again", delayMs: msUntilNext(handler.schedule, clock.epochMs()) };
    } catch (error) {
      if (error instanceof JobPostponed) return { kind: "again", delayMs: error.afterMs };
      return outcomeOf(error, job, handler, Math.random());
    } finally {
      progress.stop();
    }
  }

  async #within(limitMs: number, work: Promise<void>, abort: AbortController): Promise<void> {
    let cancel = (): void => {};
    const timeout = new Promise<never>((_, reject) => {
      cancel = this.#options.clock.after(limitMs, () => {
        const error = new JobFailure(`the attempt took longer than ${limitMs} ms`, "planned");
        reject(error);
        abort.abort(error);
      });
      abort.signal.addEventListener("abort", () => reject(abort.signal.reason), { once: true });
    });
    try {
      await Promise.race([work, timeout]);
    } finally {
      cancel();
      timeout.catch(() => {});
      work.catch(() => {});
    }
  }

  /** The attempt is over; another job of its lane may begin. */
  #leave(attempt: Attempt): void {
    const { id, kind, lane } = attempt.job;
    if (this.#inProgress.get(id) === attempt) this.#inProgress.delete(id);
    const count = this.#countOf(lane) - 1;
    if (count > 0) this.#lanes.set(lane, { kind, count });
    else this.#lanes.delete(lane);
    const next = [...this.#waiting.values()].find((job) => job.kind === kind && !this.#isFull(job.lane, kind));
    if (next !== undefined) {
      this.#waiting.delete(next.id);
      void this.#run(next);
    }
    if (this.#inProgress.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    // A claim for each job would cost a commit each. Several slots are filled together, where jobs that hang leave so many.
    const isWorthClaiming = JOBS_CONCURRENT_MAX - this.#inProgress.size >= this.#filledTogether;
    const wasKindFull = this.#totalMaxOf(kind) - 1 === this.#countOfKind(kind);
    const isLeft = this.#lanesLeft.has(lane) || wasKindFull || (this.#hasLeftOthers && isWorthClaiming);
    if (next === undefined && isLeft) this.#wake();
  }

  /**
   * A lane gets an eighth of the free slots, so that many endpoints that hang do not take all of them. The jobs of a kind
   * without lanes have one lane with its name.
   */
  #isFull(lane: string, kind: string): boolean {
    if (this.#isKindFull(kind)) return true;
    const free = JOBS_CONCURRENT_MAX - this.#inProgress.size;
    const limit = this.#options.handlers[kind]?.concurrentMax ?? JOBS_PER_LANE_MAX;
    return this.#countOf(lane) >= Math.min(limit, Math.max(1, Math.ceil(free / LANE_SHARE)));
  }

  #isKindFull(kind: string): boolean {
    return this.#countOfKind(kind) >= this.#totalMaxOf(kind);
  }

  #totalMaxOf(kind: string): number {
    return this.#options.handlers[kind]?.concurrentTotalMax ?? Number.POSITIVE_INFINITY;
  }

  #countOfKind(kind: string): number {
    let count = 0;
    for (const lane of this.#lanes.values()) if (lane.kind === kind) count += lane.count;
    return count;
  }

  #countOf(lane: string): number {
    return this.#lanes.get(lane)?.count ?? 0;
  }

  /** Keeps the claims of everything that is not stored yet. */
  #heartbeat(): void {
    this.#options.clock.after(JOB_HEARTBEAT_MS, () => {
      if (this.#isStopped && this.#inProgress.size === 0) return;
      void this.#extend().then(() => this.#heartbeat());
    });
  }

  async #extend(): Promise<void> {
    const { jobs, log } = this.#options;
    const ids = [...this.#inProgress.keys(), ...this.#waiting.keys(), ...this.#settlements.ids];
    try {
      for (const id of await jobs.extend(this.#runnerId, ids)) this.#lose(id);
    } catch (error) {
      log.error({ jobs: ids.length, err: error, code: codeOf(error) }, "claims of jobs could not be extended");
    }
  }

  #lose(id: JobId): void {
    this.#waiting.delete(id);
    this.#settlements.drop(id);
    const attempt = this.#inProgress.get(id);
    if (attempt === undefined) return;
    this.#inProgress.delete(id);
    attempt.abort.abort(new Error("the job was cancelled, or is another runner's"));
  }
}
