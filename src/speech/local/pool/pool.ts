import type { Child, ChildExit } from "../../../core/child-processes/child-process.ts";
import type { Clock } from "../../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../../core/clocks.ts";
import { systemErrorCodeOf } from "../../../core/errors.ts";
import { RESTART_MS_MIN } from "../../../core/limits/service/processes.ts";
import {
  LOCAL_SPEECH_BATCH_JOBS_MAX,
  LOCAL_SPEECH_JOB_MS_MAX,
  LOCAL_SPEECH_JOBS_MAX,
  LOCAL_SPEECH_RESTART_MS_MAX,
  LOCAL_SPEECH_RSS_GROWTH_MAX,
  LOCAL_SPEECH_RSS_MB_MAX,
  LOCAL_SPEECH_START_MS_MAX,
  LOCAL_SPEECH_STARTS_MAX,
  LOCAL_SPEECH_STOPS_MAX,
  LOCAL_SPEECH_TRIES_MAX,
} from "../../../core/limits/speech-providers/local-speech.ts";
import { starvedMsOf } from "../../../core/task-processes/cpu-time.ts";
import type { Deadline, JobOutcome, LocalSpeech, PendingJob, SpeechTask, Urgency } from "../jobs.ts";
import type { StartSpeechChild } from "./child.ts";
import type { FromSpeechChild, ToSpeechChild } from "./messages.ts";
import { JobQueue } from "./queue.ts";

/** Why a child was ended by the pool, or ended itself. */
export type ChildEnd = "hung" | "died" | "too_large" | "not_started";

/** Observes the children and their jobs. Its methods must neither wait nor throw. */
export interface PoolObserver {
  /** A child has loaded its model. */
  childReady(child: { pid: number | undefined; model: string; loadMs: number }): void;
  /** A child has ended, and is replaced. `detail`: what is known about it. */
  childEnded(end: ChildEnd, detail: string): void;
  /** A job has ended, other than by being cancelled. `waitMs` is the time before a child took it; `done` with `passMs`, `lateMs`. */
  jobEnded(
    urgency: Urgency,
    outcome: JobOutcome["outcome"],
    times: { waitMs: number; passMs: number; lateMs: number },
  ): void;
}

export interface SpeechPoolOptions {
  /** How many children. */
  processes: number;
  start: StartSpeechChild;
  clock: Clock;
  observer?: PoolObserver;
}

/** What the pool uses and holds now. */
export interface PoolReadings {
  /** Children that have loaded their model. */
  ready: number;
  /** Of all children together, as each reported it last. */
  residentBytes: number;
  /** Of all children that ever ran. */
  cpuMs: number;
  /** Jobs that wait for a child. */
  waiting: Readonly<Record<Urgency, number>>;
}

interface Job {
  readonly id: number;
  readonly task: SpeechTask;
  urgency: Urgency;
  readonly submittedMs: MonotonicMs;
  /** When it is due; undefined without a deadline. */
  dueMs: MonotonicMs | undefined;
  cancelDeadline: () => void;
  /** When a child took it; undefined while it waits. */
  startedMs: MonotonicMs | undefined;
  /** How many children died of it. */
  deaths: number;
  /** How often it was stopped for a job of a call. */
  stops: number;
  isSettled: boolean;
  readonly resolve: (outcome: JobOutcome) => void;
}

/** The place of one child. */
interface Slot {
  child: Child<ToSpeechChild> | undefined;
  isReady: boolean;
  /** The job that the child works on, also after it has been settled: until the child has answered. */
  job: Job | undefined;
  /** The child has been asked to stop the job. */
  isStopping: boolean;
  startedMs: MonotonicMs;
  residentBytes: number;
  /** Its memory after the first job; 0 before. */
  firstResidentBytes: number;
  cpuMs: number;
  restartMs: number;
  /** Ends the wait for the child's next message, or for its restart. */
  cancelTimer: () => void;
  /** Why this pool kills the child. */
  end: ChildEnd | undefined;
  /** Why the child cannot load its model. */
  failure: string | undefined;
  /** How many children in a row were ended before they had loaded it. */
  failedStarts: number;
}

/** Between two checks whether a child that gets little CPU time hangs. */
const HANG_CHECK_MS_MIN = 100;
/** The times of a job that is not done. */
const NOT_DONE = { passMs: 0, lateMs: 0 } as const;
const SILENT_OBSERVER: PoolObserver = { childReady: () => {}, childEnded: () => {}, jobEnded: () => {} };

/**
 * Children that hold a speech model and share a queue of jobs. A child that hangs or dies is replaced, and its job is tried once
 * more. When no child can load its model, jobs fail at once until one can.
 */
export class SpeechPool implements LocalSpeech {
  readonly #options: SpeechPoolOptions;
  readonly #observer: PoolObserver;
  readonly #slots: Slot[];
  readonly #queue = new JobQueue<Job>(LOCAL_SPEECH_JOBS_MAX + LOCAL_SPEECH_BATCH_JOBS_MAX);
  #ids = 0;
  /** CPU time of the children that have ended. */
  #endedCpuMs = 0;
  /** Why every job fails at present. */
  #unusable: string | undefined;
  #isClosed = false;

  constructor(options: SpeechPoolOptions) {
    this.#options = options;
    this.#observer = options.observer ?? SILENT_OBSERVER;
    this.#slots = Array.from({ length: options.processes }, () => ({
      child: undefined,
      isReady: false,
      job: undefined,
      isStopping: false,
      startedMs: options.clock.nowMs(),
      residentBytes: 0,
      firstResidentBytes: 0,
      cpuMs: 0,
      restartMs: RESTART_MS_MIN,
      cancelTimer: () => {},
      end: undefined,
      failure: undefined,
      failedStarts: 0,
    }));
    for (const slot of this.#slots) this.#start(slot);
  }

  get readings(): PoolReadings {
    const sum = (of: (slot: Slot) => number): number => this.#slots.reduce((total, slot) => total + of(slot), 0);
    return {
      ready: sum(({ isReady }) => Number(isReady)),
      residentBytes: sum(({ residentBytes }) => residentBytes),
      cpuMs: this.#endedCpuMs + sum(({ cpuMs }) => cpuMs),
      waiting: {
        final: this.#queue.count("final"),
        turn: this.#queue.count("turn"),
        pause: this.#queue.count("pause"),
        interim: this.#queue.count("interim"),
        batch: this.#queue.count("batch"),
      },
    };
  }

  submit(task: SpeechTask, urgency: Urgency, deadline?: Deadline): PendingJob {
    let resolve = (_outcome: JobOutcome): void => {};
    const outcome = new Promise<JobOutcome>((settle) => {
      resolve = settle;
    });
    this.#ids += 1;
    const job: Job = {
      ...{ id: this.#ids, task, urgency, submittedMs: this.#options.clock.nowMs(), dueMs: undefined },
      ...{ cancelDeadline: () => {}, startedMs: undefined, deaths: 0, stops: 0, isSettled: false, resolve },
    };
    if (this.#isClosed || this.#unusable !== undefined) {
      this.#settle(job, { outcome: "failed", reason: this.#unusable ?? "closed" });
    } else if (this.#isFullFor(urgency) || !this.#queue.add(job)) {
      const isInterim = urgency === "interim";
      this.#settle(job, isInterim ? { outcome: "dropped" } : { outcome: "failed", reason: "too many jobs wait" });
    } else {
      if (deadline !== undefined) this.#setDeadline(job, deadline);
      this.#dispatch();
    }
    return { outcome, raise: (by) => this.#raise(job, by), cancel: () => this.#cancel(job) };
  }

  /** Recordings and calls take no room of each other. */
  #isFullFor(urgency: Urgency): boolean {
    const batch = this.#queue.count("batch");
    if (urgency === "batch") return batch >= LOCAL_SPEECH_BATCH_JOBS_MAX;
    return this.#queue.length - batch >= LOCAL_SPEECH_JOBS_MAX;
  }

  close(): void {
    this.#isClosed = true;
    for (const slot of this.#slots) {
      slot.cancelTimer();
      if (slot.job !== undefined) this.#settle(slot.job, { outcome: "failed", reason: "closed" });
      slot.child?.kill();
    }
    this.#failWaiting("closed");
  }

  #setDeadline(job: Job, { delayMs, pastDeadline }: Deadline): void {
    const { clock } = this.#options;
    job.cancelDeadline();
    job.dueMs = addMs(clock.nowMs(), delayMs);
    if (pastDeadline === "wait") return;
    job.cancelDeadline = clock.after(delayMs, () => {
      if (pastDeadline === "fail") this.#abandon(job, { outcome: "timed_out" });
      else if (job.startedMs === undefined) this.#abandon(job, { outcome: "dropped" });
    });
  }

  #raise(job: Job, deadline: Deadline): void {
    if (job.isSettled) return;
    job.urgency = "final";
    this.#setDeadline(job, deadline);
    this.#dispatch();
  }

  #cancel(job: Job): void {
    if (job.isSettled) return;
    job.isSettled = true;
    job.resolve({ outcome: "dropped" });
    this.#release(job);
  }

  /** Ends a job whose result comes too late. */
  #abandon(job: Job, outcome: JobOutcome): void {
    this.#settle(job, outcome);
    this.#release(job);
  }

  /** Takes a settled job out of the queue, or off its child, which is free again when it has answered. */
  #release(job: Job): void {
    job.cancelDeadline();
    if (this.#queue.remove(job)) return;
    const slot = this.#slots.find((one) => one.job === job);
    if (slot !== undefined) this.#stop(slot);
  }

  #stop(slot: Slot): void {
    if (slot.isStopping || slot.job === undefined) return;
    slot.isStopping = true;
    slot.child?.send({ kind: "stop", id: slot.job.id });
  }

  #dispatch(): void {
    for (const slot of this.#slots) {
      if (!slot.isReady || slot.job !== undefined || slot.end !== undefined) continue;
      const job = this.#queue.take();
      if (job === undefined) return;
      this.#run(slot, job);
    }
    this.#preempt();
  }

  #run(slot: Slot, job: Job): void {
    job.startedMs = this.#options.clock.nowMs();
    slot.job = job;
    slot.isStopping = false;
    this.#killAfter(slot, LOCAL_SPEECH_JOB_MS_MAX, "hung");
    slot.child?.send({ kind: "job", id: job.id, task: job.task });
  }

  /**
   * Recordings make room for all jobs of calls that wait, and interims for those that are more urgent: as many as there are such jobs.
   * An interim is dropped; a recording waits again. Interims never end, so that after LOCAL_SPEECH_STOPS_MAX they wait for a recording.
   */
  #preempt(): void {
    const ofCalls = this.#queue.length - this.#queue.count("batch");
    const urgent = ofCalls - this.#queue.count("interim");
    let stopping = this.#slots.filter(({ isStopping }) => isStopping).length;
    const isPatient = ({ urgency, stops }: Job): boolean => urgency === "batch" && stops < LOCAL_SPEECH_STOPS_MAX;
    stopping += this.#stopRunning(isPatient, ofCalls - stopping);
    stopping += this.#stopRunning(({ urgency }) => urgency === "batch", urgent - stopping);
    this.#stopRunning(({ urgency }) => urgency === "interim", urgent - stopping);
  }

  /** Stops up to `wanted` of these jobs; returns how many. */
  #stopRunning(isOne: (job: Job) => boolean, wanted: number): number {
    let stopped = 0;
    for (const slot of this.#slots) {
      if (stopped >= wanted) break;
      if (slot.job === undefined || slot.isStopping || !isOne(slot.job)) continue;
      if (slot.job.urgency === "interim") this.#settle(slot.job, { outcome: "dropped" });
      slot.job.stops += 1;
      this.#stop(slot);
      stopped += 1;
    }
    return stopped;
  }

  #onMessage(slot: Slot, message: FromSpeechChild): void {
    if (this.#isClosed || slot.end !== undefined) return;
    if (message.kind === "unusable") {
      slot.failure = message.reason;
      return;
    }
    slot.cancelTimer();
    slot.residentBytes = message.residentBytes;
    slot.cpuMs = message.cpuMs;
    if (message.kind === "ready") this.#onReady(slot, message.model);
    else this.#onAnswer(slot, message);
    this.#dispatch();
  }

  #onReady(slot: Slot, model: string): void {
    slot.isReady = true;
    slot.failedStarts = 0;
    slot.restartMs = RESTART_MS_MIN;
    this.#unusable = undefined;
    const loadMs = Math.round(elapsedMs(slot.startedMs, this.#options.clock.nowMs()));
    this.#observer.childReady({ pid: slot.child?.pid, model, loadMs });
  }

  #onAnswer(slot: Slot, message: Extract<FromSpeechChild, { kind: "done" | "judged" | "failed" }>): void {
    const { job, isStopping } = slot;
    slot.job = undefined;
    slot.isStopping = false;
    if (slot.firstResidentBytes === 0) slot.firstResidentBytes = slot.residentBytes;
    if (job !== undefined && !job.isSettled) {
      // It was stopped for a job of a call: its answer may be incomplete.
      if (isStopping) this.#putBack(job);
      else if (message.kind === "failed") this.#settle(job, { outcome: "failed", reason: message.reason });
      else this.#settle(job, this.#doneOutcome(job, message));
    }
    const largestBytes = Math.max(
      LOCAL_SPEECH_RSS_MB_MAX * 1_048_576,
      LOCAL_SPEECH_RSS_GROWTH_MAX * slot.firstResidentBytes,
    );
    if (slot.residentBytes > largestBytes) this.#kill(slot, "too_large");
  }

  #doneOutcome(job: Job, message: Extract<FromSpeechChild, { kind: "done" | "judged" }>): JobOutcome {
    const nowMs = this.#options.clock.nowMs();
    const waitMs = elapsedMs(job.submittedMs, job.startedMs ?? nowMs);
    const lateMs = job.dueMs === undefined ? 0 : Math.max(0, elapsedMs(job.dueMs, nowMs));
    const times = { waitMs, passMs: message.passMs, lateMs };
    return message.kind === "done"
      ? { outcome: "done", hypothesis: message.hypothesis, ...times }
      : { outcome: "judged", probability: message.probability, ...times };
  }

  #settle(job: Job, outcome: JobOutcome): void {
    if (job.isSettled) return;
    job.isSettled = true;
    job.cancelDeadline();
    const waitMs = elapsedMs(job.submittedMs, job.startedMs ?? this.#options.clock.nowMs());
    const { passMs, lateMs } = "passMs" in outcome ? outcome : NOT_DONE;
    this.#observer.jobEnded(job.urgency, outcome.outcome, { waitMs, passMs, lateMs });
    job.resolve(outcome);
  }

  #start(slot: Slot): void {
    const { clock, start } = this.#options;
    slot.startedMs = clock.nowMs();
    slot.end = undefined;
    slot.failure = undefined;
    slot.firstResidentBytes = 0;
    try {
      slot.child = start({
        onMessage: (message) => this.#onMessage(slot, message),
        onExit: (exit, error) => this.#onExit(slot, exit, error),
      });
      this.#killAfter(slot, LOCAL_SPEECH_START_MS_MAX, "not_started");
    } catch (error) {
      this.#onExit(slot, { exitCode: null, signal: null }, error);
    }
  }

  /**
   * Kills the child when it does not answer within `limitMs`. The time in which it was ready to run and got no processor does not
   * count: a new child would get none either, and would have to load the model first.
   */
  #killAfter(slot: Slot, limitMs: number, end: ChildEnd): void {
    const { clock } = this.#options;
    const startMs = clock.nowMs();
    const pid = slot.child?.pid;
    const starvedMs = starvedMsOf(pid) ?? 0;
    const check = (): void => {
      const usedMs = elapsedMs(startMs, clock.nowMs()) - ((starvedMsOf(pid) ?? 0) - starvedMs);
      if (usedMs >= limitMs) this.#kill(slot, end);
      else slot.cancelTimer = clock.after(Math.max(HANG_CHECK_MS_MIN, limitMs - usedMs), check);
    };
    slot.cancelTimer = clock.after(limitMs, check);
  }

  #kill(slot: Slot, end: ChildEnd): void {
    slot.end = end;
    slot.child?.kill();
  }

  #onExit(slot: Slot, { exitCode, signal }: ChildExit, error?: unknown): void {
    const { job, isReady, end } = slot;
    slot.cancelTimer();
    this.#endedCpuMs += slot.cpuMs;
    Object.assign(slot, { child: undefined, isReady: false, job: undefined, isStopping: false });
    Object.assign(slot, { residentBytes: 0, cpuMs: 0 });
    if (this.#isClosed) return;
    const detail = slot.failure ?? systemErrorCodeOf(error) ?? signal ?? `exit code ${exitCode}`;
    this.#observer.childEnded(end ?? (isReady ? "died" : "not_started"), detail);
    if (job !== undefined && !job.isSettled) this.#retry(job, end === "hung" ? "hung" : `ended with ${detail}`);
    if (!isReady) this.#onStartFailed(slot, detail);
    // A child that was up is replaced at once; one that could not start is given time.
    slot.cancelTimer = this.#options.clock.after(isReady ? 0 : slot.restartMs, () => this.#start(slot));
    if (!isReady) slot.restartMs = Math.min(LOCAL_SPEECH_RESTART_MS_MAX, 2 * slot.restartMs);
  }

  /** Another child gets the job, or the same one after its restart. */
  #retry(job: Job, what: string): void {
    job.deaths += 1;
    if (job.urgency === "interim") this.#settle(job, { outcome: "dropped" });
    else if (job.deaths >= LOCAL_SPEECH_TRIES_MAX) {
      this.#settle(job, { outcome: "failed", reason: `its processes ${what}` });
    } else {
      this.#putBack(job);
      this.#dispatch();
    }
  }

  #putBack(job: Job): void {
    job.startedMs = undefined;
    this.#queue.addFirst(job);
  }

  /**
   * Jobs fail rather than wait for a model that cannot be loaded, unless another child has loaded it. A child that was killed while it
   * loaded the model says nothing about the model, unless this happens again and again.
   */
  #onStartFailed(slot: Slot, detail: string): void {
    slot.failedStarts += 1;
    if (slot.failure === undefined && slot.failedStarts < LOCAL_SPEECH_STARTS_MAX) return;
    if (this.#slots.some(({ isReady }) => isReady)) return;
    this.#unusable = `the model could not be loaded: ${detail}`;
    this.#failWaiting(this.#unusable);
  }

  #failWaiting(reason: string): void {
    for (const job of this.#queue.takeAll()) this.#settle(job, { outcome: "failed", reason });
  }
}
