import type { ReplayCheck } from "../../core/calls/replay-check.ts";
import type { Child, ChildEvents, ChildExit } from "../../core/child-processes/child-process.ts";
import type { Clock } from "../../core/clock.ts";
import { elapsedMs, monotonicMs } from "../../core/clocks.ts";
import { mediaKeyText } from "../../core/encryption/chunks.ts";
import { codeOf, TrunklineError, unavailable } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import {
  HEARTBEAT_MS,
  PROCESS_STABLE_MS,
  RESTART_MS_MAX,
  RESTART_MS_MIN,
} from "../../core/limits/service/processes.ts";
import {
  RECORDS_CONCURRENT_MAX,
  RENDERER_ASIDE_WAITING_MAX,
  RENDERER_JOURNAL_BYTES_MAX,
  RENDERER_STALL_MS_MAX,
  RENDERER_TRIES_MAX,
} from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { FindMediaKey, JournaledCall, JournalProcessor } from "../../record/finalization/journal-processor.ts";
import type { Recording, RenderProgress } from "../../record/recording/render.ts";
import type { LiveSpansPage } from "../../record/traces/live-spans.ts";
import type { SpanRequest } from "../../record/traces/spans.ts";
import { deserializeError, type RendererMessage, type RendererRequest } from "./messages.ts";

export type RendererEvents = ChildEvents<RendererMessage>;

/** Starts a renderer process. */
export type StartRenderer = (events: RendererEvents) => Child<RendererRequest>;

export interface RendererClientOptions {
  start: StartRenderer;
  /** The length of a call's journal in bytes; 0 for a call without a journal. */
  journalBytes: (callId: CallId) => number;
  /** The keys of encrypted journals; rejects as the store does. Absent where none is encrypted. */
  findKey?: FindMediaKey;
  clock: Clock;
  log: Logger;
  /** Called whenever a renderer that died is restarted. */
  onRestart: () => void;
}

type Result = JournaledCall | Recording | LiveSpansPage | ReplayCheck | undefined;

interface Job {
  request: RendererRequest;
  bytes: number;
  /** How often the renderer died while this job was in progress. */
  deaths: number;
  /** How many renderers failed to start while this job waited. */
  failedStarts: number;
  onProgress: ((progress: RenderProgress) => void) | undefined;
  resolve: (result: Result) => void;
  reject: (error: Error) => void;
}

/** Whether a job is what a page asks for, and no part of the end of a call. */
const isAside = ({ request: { kind } }: Pick<Job, "request">): boolean => kind === "replay" || kind === "waveform";

/** Heartbeats that may be missed in a row. */
const MISSED_HEARTBEATS_MAX = RENDERER_STALL_MS_MAX / HEARTBEAT_MS;

/**
 * Has journals processed by a renderer process, which is restarted when it dies. Jobs that were in progress are then retried one
 * at a time, so that a journal that kills the renderer is identified; after RENDERER_TRIES_MAX deaths that job fails with
 * `renderer_died`.
 */
export class RendererClient implements JournalProcessor {
  readonly #options: RendererClientOptions;
  readonly #waiting: Job[] = [];
  readonly #inProgress = new Map<number, Job>();
  /** One for each call: who asks again meanwhile gets the same. */
  readonly #replays = new Map<CallId, Promise<ReplayCheck>>();
  #ids = 0;
  #renderer: Child<RendererRequest> | undefined;
  #isReady = false;
  #isClosed = false;
  /** Renderers in a row that exited before they were ready. */
  #failedStarts = 0;
  #startedMs = monotonicMs(0);
  #restartMs = RESTART_MS_MIN;
  #missedHeartbeats = 0;
  #cancelTimer = (): void => {};

  constructor(options: RendererClientOptions) {
    this.#options = options;
    this.#start();
  }

  /** No renderer became ready in RENDERER_TRIES_MAX starts: jobs fail. */
  get isFailing(): boolean {
    return this.#failedStarts >= RENDERER_TRIES_MAX;
  }

  project(callId: CallId, trace?: SpanRequest, isRedacted?: boolean): Promise<JournaledCall> {
    return this.#request("project", callId, { trace, isRedacted }) as Promise<JournaledCall>;
  }

  /** The spans of a live call that have become complete; undefined where its journal has no header yet. Rejects as `project`. */
  trace(callId: CallId, trace: SpanRequest): Promise<LiveSpansPage | undefined> {
    return this.#request("trace", callId, { trace }) as Promise<LiveSpansPage | undefined>;
  }

  render(callId: CallId, onProgress?: (progress: RenderProgress) => void): Promise<Recording | undefined> {
    return this.#request("render", callId, { onProgress }) as Promise<Recording | undefined>;
  }

  /**
   * Makes the waveform of a recording that has none. Rejects as `makeWaveform`, with `renderer_died`, and with `unavailable` where
   * RENDERER_ASIDE_WAITING_MAX of its kind wait.
   */
  async makeWaveform(callId: CallId): Promise<void> {
    this.#requireRoomAside();
    await this.#request("waveform", callId, {});
  }

  /**
   * Replays the journal of a call. Rejects as `checkReplay`, REPLAY_CHECK_MS_MAX after it began at most, with `renderer_died`, and with
   * `unavailable` where RENDERER_ASIDE_WAITING_MAX of its kind wait.
   */
  checkReplay(callId: CallId): Promise<ReplayCheck> {
    const before = this.#replays.get(callId);
    if (before !== undefined) return before;
    this.#requireRoomAside();
    const replay = (this.#request("replay", callId, {}) as Promise<ReplayCheck>).finally(() =>
      this.#replays.delete(callId),
    );
    this.#replays.set(callId, replay);
    return replay;
  }

  /** Ends the renderer; open jobs are rejected with `unavailable`. */
  close(): void {
    this.#isClosed = true;
    this.#cancelTimer();
    this.#renderer?.kill();
    for (const { reject } of [...this.#inProgress.values(), ...this.#waiting])
      reject(unavailable("the renderer is stopping"));
    this.#waiting.length = 0;
    this.#inProgress.clear();
  }

  /** Those who asked may be gone, and records of ended calls go first: so few may wait. */
  #requireRoomAside(): void {
    if (this.#waiting.filter(isAside).length >= RENDERER_ASIDE_WAITING_MAX)
      throw unavailable("too many replays and waveforms wait for the renderer");
  }

  async #request(
    kind: RendererRequest["kind"],
    callId: CallId,
    { trace, isRedacted, onProgress }: Pick<RendererRequest, "trace" | "isRedacted"> & Partial<Pick<Job, "onProgress">>,
  ): Promise<Result> {
    const { findKey } = this.#options;
    const key = findKey === undefined ? undefined : await findKey(callId);
    return await new Promise((resolve, reject) => {
      this.#ids += 1;
      const mediaKey = key && mediaKeyText(key);
      const request: RendererRequest = {
        id: this.#ids,
        kind,
        callId,
        ...(mediaKey !== undefined && { mediaKey }),
        ...(trace !== undefined && { trace }),
        ...(isRedacted !== undefined && { isRedacted }),
      };
      this.#waiting.push({
        request,
        bytes: this.#options.journalBytes(callId),
        deaths: 0,
        failedStarts: 0,
        onProgress,
        resolve,
        reject,
      });
      this.#sendNext();
    });
  }

  #sendNext(): void {
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      this.#waiting.splice(this.#waiting.indexOf(job), 1);
      this.#inProgress.set(job.request.id, job);
      this.#renderer?.send(job.request);
    }
  }

  /** What may begin now. A job that was in work when a renderer died goes first, and alone; what pages ask for goes last, one at a time. */
  #next(): Job | undefined {
    if (!this.#isReady) return undefined;
    const inWork = [...this.#inProgress.values()];
    const suspect = this.#waiting.find(({ deaths }) => deaths > 0);
    const next =
      suspect ?? this.#waiting.find((job) => !isAside(job)) ?? (inWork.some(isAside) ? undefined : this.#waiting[0]);
    if (inWork.length === 0 || next === undefined) return next;
    if (suspect !== undefined || inWork.some(({ deaths }) => deaths > 0)) return undefined;
    const bytes = inWork.reduce((sum, job) => sum + job.bytes, next.bytes);
    return inWork.length < RECORDS_CONCURRENT_MAX && bytes <= RENDERER_JOURNAL_BYTES_MAX ? next : undefined;
  }

  #onMessage(message: RendererMessage): void {
    this.#missedHeartbeats = 0;
    if (message.kind === "heartbeat") return;
    if (message.kind === "ready") {
      this.#isReady = true;
      this.#failedStarts = 0;
      this.#options.log.info({ pid: this.#renderer?.pid }, "renderer started");
    } else if (message.kind === "progress") this.#inProgress.get(message.id)?.onProgress?.(message.progress);
    else {
      const job = this.#inProgress.get(message.id);
      this.#inProgress.delete(message.id);
      if (message.kind === "projected") job?.resolve(message.call);
      else if (message.kind === "rendered") job?.resolve(message.recording ?? undefined);
      else if (message.kind === "traced") job?.resolve(message.page ?? undefined);
      else if (message.kind === "replayed") job?.resolve(message.check);
      else if (message.kind === "waveform-made") job?.resolve(undefined);
      else job?.reject(deserializeError(message.failure));
    }
    this.#sendNext();
  }

  #start(): void {
    this.#startedMs = this.#options.clock.nowMs();
    this.#missedHeartbeats = 0;
    try {
      this.#renderer = this.#options.start({
        onMessage: (message) => this.#onMessage(message),
        onExit: (exit) => this.#onExit(exit),
      });
      this.#startWatchdog();
    } catch (error) {
      this.#options.log.error({ err: error, code: codeOf(error) }, "renderer could not be started");
      this.#onExit({ exitCode: null, signal: null });
    }
  }

  /** Counts missed heartbeats rather than time, so that a stall of this process kills no renderer. */
  #startWatchdog(): void {
    this.#cancelTimer = this.#options.clock.after(HEARTBEAT_MS, () => {
      this.#missedHeartbeats += 1;
      if (this.#missedHeartbeats > MISSED_HEARTBEATS_MAX) this.#renderer?.kill();
      this.#startWatchdog();
    });
  }

  #onExit(exit: ChildExit): void {
    const { clock, log, onRestart } = this.#options;
    const pid = this.#renderer?.pid;
    const wasReady = this.#isReady;
    this.#cancelTimer();
    this.#isReady = false;
    this.#renderer = undefined;
    if (this.#isClosed) return;
    log.error({ pid, ...exit, inWork: this.#inProgress.size }, "renderer died");
    this.#requeue();
    if (!wasReady) this.#countFailedStart();
    if (elapsedMs(this.#startedMs, clock.nowMs()) > PROCESS_STABLE_MS) this.#restartMs = RESTART_MS_MIN;
    this.#cancelTimer = clock.after(this.#restartMs, () => {
      onRestart();
      this.#start();
    });
    this.#restartMs = Math.min(RESTART_MS_MAX, 2 * this.#restartMs);
  }

  /** A job that has waited for RENDERER_TRIES_MAX failed starts is rejected, because every call must end in a record. */
  #countFailedStart(): void {
    this.#failedStarts += 1;
    if (this.#failedStarts === RENDERER_TRIES_MAX) {
      this.#options.log.error({ tries: RENDERER_TRIES_MAX }, "renderer cannot be started: new calls are refused");
    }
    for (const job of this.#waiting.splice(0)) {
      job.failedStarts += 1;
      if (job.failedStarts < RENDERER_TRIES_MAX) this.#waiting.push(job);
      else job.reject(new TrunklineError("renderer_died", "bug", "no renderer could be started for this journal"));
    }
  }

  /** Retries the jobs in progress, except those that have been in progress at too many deaths. */
  #requeue(): void {
    for (const job of [...this.#inProgress.values()].reverse()) {
      job.deaths += 1;
      if (job.deaths < RENDERER_TRIES_MAX) this.#waiting.unshift(job);
      else {
        const what = `the renderer died ${job.deaths} times while processing this journal`;
        job.reject(new TrunklineError("renderer_died", "bug", what));
      }
    }
    this.#inProgress.clear();
  }
}
