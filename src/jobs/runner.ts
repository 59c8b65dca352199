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
  JOBS_PER_LANE_MAX,
} from "../core/limits/jobs.ts";
import type { Logger } from "../core/log/logger.ts";
import type { ClaimedJob, JobOutcome, JobStore } from "../store/job-store.ts";
import type { JobHandler } from "./handler.ts";
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
  readonly #laneCounts = new Map<string, number>();
  #isStopped = false;
  #isClaiming = false;
  /** A job was stored while a claim was in progress, which may not have seen it. */
  #claimsAgain = false;
  #onIdle: (() => void)[] = [];

  constructor(options: JobRunnerOptions) {
    this.#options = options;
    this.#settlements = new Settlements({ ...options, runnerId: this.#runnerId });
  }

  /** Begins to take jobs, until `stop`. */
  async start(): Promise<void> {
    this.#options.jobs.onEnqueued(() => this.#wake());
    await this.#ensureSchedules();
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
    for (const [kind, { schedule }] of Object.entries(handlers)) {
      if (schedule === undefined) continue;
      await jobs.enqueue({ kind, payload: {}, key: SCHEDULE_KEY, delayMs: msUntilNext(schedule, clock.epochMs()) });
    }
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
      do {
        this.#claimsAgain = false;
        const free = JOBS_CONCURRENT_MAX - this.#inProgress.size - this.#waiting.size;
        if (this.#isStopped || free <= 0) return;
        const limit = Math.min(free, JOBS_PER_CLAIM_MAX);
        const claimed = await jobs.claim({
          runnerId: this.#runnerId,
          kinds: Object.keys(handlers),
          fullLanes: [...this.#laneCounts].filter(([, count]) => count >= JOBS_PER_LANE_MAX).map(([lane]) => lane),
          limit,
        });
        for (const job of claimed) this.#take(job);
        if (claimed.length === limit) this.#claimsAgain = true;
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
    if (this.#countOf(job.lane) >= JOBS_PER_LANE_MAX) this.#waiting.set(job.id, job);
    else void this.#run(job);
  }

  async #run(job: ClaimedJob): Promise<void> {
    const { handlers, clock, log, onAttempt } = this.#options;
    const attempt: Attempt = { job, abort: new AbortController() };
    this.#inProgress.set(job.id, attempt);
    this.#laneCounts.set(job.lane, this.#countOf(job.lane) + 1);
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
    try {
      if (job.remainingMs !== undefined && job.remainingMs <= 0) throw new Error("its deadline has passed");
      if (job.losses > JOB_LOSSES_MAX && handler.schedule === undefined) {
        // It may be what ends the process.
        return { kind: "dead", error: `its runner was lost ${job.losses} times` };
      }
      const reportProgress = (progress: unknown) => jobs.reportProgress(this.#runnerId, job.id, progress);
      const work = handler.run(job, { signal: abort.signal, reportProgress });
      await this.#within(handler.attemptMsMax, work, abort);
      if (handler.schedule === undefined) return { kind: "done" };
      return { kind: "again", delayMs: msUntilNext(handler.schedule, clock.epochMs()) };
    } catch (error) {
      return outcomeOf(error, job, handler, Math.random());
    }
  }

  async #within(limitMs: number, work: Promise<void>, abort: AbortController): Promise<void> {
    let cancel = (): void => {};
    const timeout = new Promise<never>((_, reject) => {
      cancel = this.#options.clock.after(limitMs, () => {
        const error = new Error(`the attempt took longer than ${limitMs} ms`);
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
    const { id, lane } = attempt.job;
    if (this.#inProgress.get(id) === attempt) this.#inProgress.delete(id);
    const count = this.#countOf(lane) - 1;
    if (count > 0) this.#laneCounts.set(lane, count);
    else this.#laneCounts.delete(lane);
    for (const job of this.#waiting.values()) {
      if (job.lane !== lane) continue;
      this.#waiting.delete(job.id);
      void this.#run(job);
      break;
    }
    if (this.#inProgress.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    this.#wake();
  }

  #countOf(lane: string): number {
    return this.#laneCounts.get(lane) ?? 0;
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
