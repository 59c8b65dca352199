import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { billOf, type Prices } from "../../core/billing/prices.ts";
import { latencySummary } from "../../core/calls/latency.ts";
import { SERVICE_FAULT_REASONS } from "../../core/calls/reasons.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs, epochMs } from "../../core/clocks.ts";
import { codeOf, systemErrorCodeOf, unavailable } from "../../core/errors.ts";
import { type CallId, type CarrierCallId, liveTranscriptionOf } from "../../core/ids.ts";
import { PROJECTIONS_CACHED_MAX, RECORD_RETRY_MS, RECORDS_CONCURRENT_MAX } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { EndSummary } from "../../store/call-handoff.ts";
import type { CallEnd, CallRecord, CallRedemption, CallStore } from "../../store/calls/call-store.ts";
import { audioFiles } from "../retention/call-files.ts";
import type { CallSpan, SpanRequest } from "../traces/spans.ts";
import type { JournaledCall, JournalProcessor } from "./journal-processor.ts";
import { liveEndOf } from "./live-end.ts";
import { PerCallQueue } from "./per-call-queue.ts";

export interface CallFinalizerOptions {
  calls: Pick<CallStore, "get" | "finish" | "isRedacted">;
  dataDir: string;
  /** Reads journals, in a process of its own where calls are live. */
  journals: Pick<JournalProcessor, "project">;
  /** The providers' prices; undefined where they are not known. */
  prices?: Prices | undefined;
  /** Where traces of calls are exported; undefined where they are not. */
  traces?: CallEndTraces | undefined;
  clock: Clock;
  log: Logger;
  /** The call's end is committed; `tookMs` is how long that took. */
  onFinalized: (callId: CallId, tookMs: number) => void;
}

/** What finalization does for the traces of calls. */
export interface CallEndTraces {
  /** The spans that are still to be exported of a call that is over; undefined where it is not traced. */
  wanted(callId: CallId): SpanRequest | undefined;
  /** The end of the call is committed. Never throws and never waits. */
  ended(call: CallRecord, end: CallEnd, startedAtMs: EpochMs, spans: readonly CallSpan[]): void;
}

/**
 * How often a journal is tried that exists but cannot be read, for example for lack of file descriptors. After that its
 * call is finalized without it, because every call ends in a record.
 */
const READ_ATTEMPTS_MAX = 60;

/** While a journal cannot be had because of these, its call is not over, or the bucket does not answer. */
const TO_WAIT_FOR: readonly string[] = ["unavailable", "journal_growing"];

/** One call to finalize: it exists from the request until this end or another end is recorded. */
interface FinalizationRequest {
  callId: CallId;
  /** The redemption whose worker is lost. Absent where the call is over, whichever redemption it had. */
  redemption: CallRedemption | undefined;
  /** Whether the worker is still lost. */
  isLost: () => boolean;
  /** How many more times reading the journal may fail. */
  attemptsLeft: number;
  /** Results of an earlier attempt, so that a later failure does not repeat the work. */
  projected?: JournaledCall | undefined;
}

/**
 * Makes records and transcripts of ended calls from their journals, and deletes the files of calls. Several
 * calls are processed at a time, because each waits for the disk and the event loop dozens of times. The work of one
 * call runs in sequence.
 */
export class CallFinalizer {
  readonly #options: CallFinalizerOptions;
  /** Requests that are not complete, by `keyOf`. */
  readonly #queued = new Map<string, FinalizationRequest>();
  /** Ends that workers reported of calls that have no record yet, at most one each. */
  readonly #reportedEnds = new Map<CallId, EndSummary>();
  readonly #work = new PerCallQueue(RECORDS_CONCURRENT_MAX);
  /** Requests that wait for their next attempt. */
  #retrying = 0;
  #isStopped = false;

  constructor(options: CallFinalizerOptions) {
    this.#options = options;
    mkdirSync(join(options.dataDir, "recordings"), { recursive: true, mode: 0o700 });
  }

  /** How many calls wait to be finalized, and how many are in progress. */
  get count(): { waiting: number; in_progress: number } {
    return { waiting: this.#work.waiting + this.#retrying, in_progress: this.#work.inProgress };
  }

  /**
   * The call is over; `end` is its worker's report. Repeated and late requests, and requests for a removed call, do no
   * harm.
   */
  finalize(callId: CallId, end?: EndSummary): void {
    if (end !== undefined) this.#reportedEnds.set(callId, end);
    this.#enqueue(callId, undefined, () => true);
  }

  /**
   * The worker that redeemed the call is gone. Nothing is recorded if, by the time this is processed, that redemption
   * was returned, another redemption made the call active, or `isLost` is false.
   */
  finalizeLost({ id, workerId, workerConnection, epoch }: { id: CallId } & CallRedemption, isLost = () => true): void {
    this.#enqueue(id, { workerId, workerConnection, epoch }, isLost);
  }

  #enqueue(callId: CallId, redemption: CallRedemption | undefined, isLost: () => boolean): void {
    const request = { callId, redemption, isLost, attemptsLeft: READ_ATTEMPTS_MAX };
    if (this.#queued.has(keyOf(request))) return;
    this.#queued.set(keyOf(request), request);
    void this.#work.run(callId, () => this.#process(request));
  }

  /**
   * Deletes the journal, the recording and the waveform of a call that is over, after which none is written again. Missing files
   * are no error. Rejects with `unavailable` when the disk refuses; retry then.
   */
  deleteFiles(callId: CallId): Promise<void> {
    return this.#work.run(callId, () => this.#deleteFiles(callId));
  }

  /** Runs `work` on the files of a call while nothing else here reads, writes or deletes them. */
  withFiles<T>(callId: CallId, work: () => Promise<T>): Promise<T> {
    return this.#work.run(callId, work);
  }

  /** Other nodes make the records from now on: none is begun here any more. Resolves when those in progress are made. */
  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#work.idle();
  }

  /** Resolves when all work requested so far is done. */
  idle(): Promise<void> {
    return this.#work.idle();
  }

  async #deleteFiles(callId: CallId): Promise<void> {
    const { dataDir } = this.#options;
    try {
      for (const path of audioFiles(dataDir, callId)) await rm(path, { force: true });
    } catch (error) {
      throw unavailable("deleting the files of a call failed", error);
    }
  }

  async #process(request: FinalizationRequest): Promise<void> {
    const { clock, log, onFinalized } = this.#options;
    const { callId, redemption } = request;
    if (this.#isStopped) return;
    const begunMs = clock.nowMs();
    try {
      const finished = await this.#finish(request);
      this.#queued.delete(keyOf(request));
      if (finished !== undefined) log.info({ callId, ...finished }, "call record stored");
      // A lost redemption that is no longer the call's says nothing about the call's end.
      else if (redemption !== undefined) return;
      this.#reportedEnds.delete(callId);
      onFinalized(callId, elapsedMs(begunMs, clock.nowMs()));
    } catch (error) {
      const code = codeOf(error);
      if (code !== "journal_growing") log.error({ callId, err: error, code }, "call record could not be stored yet");
      this.#retryLater(request);
    }
  }

  /** Until the retry the request holds no slot of the queue, so that files can be deleted from a full disk. */
  #retryLater(request: FinalizationRequest): void {
    // Only the first of the waiting requests keep what was read from their journals; the others read theirs again. Long
    // transcripts of many calls would otherwise fill the memory.
    if (this.#retrying >= PROJECTIONS_CACHED_MAX) request.projected = undefined;
    this.#retrying += 1;
    this.#options.clock.after(RECORD_RETRY_MS, () => {
      this.#retrying -= 1;
      void this.#work.run(request.callId, () => this.#process(request));
    });
  }

  /**
   * Returns log fields if this recorded the call's end. Nothing is made again for a call that is already over or
   * removed.
   */
  async #finish(
    request: FinalizationRequest,
  ): Promise<{ carrierCallId?: CarrierCallId; redacted?: object } | undefined> {
    const { calls, traces } = this.#options;
    const { callId, redemption, isLost } = request;
    if (!isLost()) return undefined;
    const projected = await this.#project(request);
    if (projected instanceof Error) {
      return isLost() && (await this.#finishWithoutJournal(request, projected)) ? {} : undefined;
    }
    const { header, carrierCallId } = projected;
    const call = traces === undefined ? undefined : await calls.get(header.accountId, callId);
    if (!isLost()) return undefined;
    const end = this.#endOf(request, projected);
    if (!(await calls.finish(callId, end, redemption))) return undefined;
    if (call !== undefined) traces?.ended(call, end, epochMs(Date.parse(header.startedAt)), projected.spans);
    const { redaction } = header;
    return {
      ...(carrierCallId !== undefined && { carrierCallId }),
      ...(redaction !== undefined && { redacted: redaction.found }),
    };
  }

  /** Resolves with an error where the journal cannot be read; rejects while that may change. */
  async #project(request: FinalizationRequest): Promise<JournaledCall | Error> {
    const { calls, journals, traces } = this.#options;
    const { callId } = request;
    if (request.projected !== undefined) return request.projected;
    // Where the store does not answer, the journal is not read: whether it may stay is not known.
    const isToBeRedacted = await calls.isRedacted(callId);
    try {
      request.projected = await journals.project(callId, traces?.wanted(callId), isToBeRedacted);
      return request.projected;
    } catch (error) {
      if (TO_WAIT_FOR.includes(codeOf(error))) throw error;
      if (isTemporarilyUnreadable(error)) request.attemptsLeft -= 1;
      if (isTemporarilyUnreadable(error) && request.attemptsLeft > 0) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** The worker died or its disk failed before anything was written, or what was written cannot be read. */
  async #finishWithoutJournal({ callId, redemption }: FinalizationRequest, error: Error): Promise<boolean> {
    const { calls, clock, log } = this.#options;
    const reported = this.#reportedEnds.get(callId);
    const end =
      reported === undefined
        ? { status: "failed" as const, endReason: "worker_lost" as const, endedAtMs: clock.epochMs(), durationMs: 0 }
        : endStatusOf(reported);
    const transcription = liveTranscriptionOf(callId) && liveEndOf(end.endReason, undefined);
    const first = await calls.finish(
      callId,
      { ...end, turns: [], transcriptComplete: false, transcription },
      redemption,
    );
    if (first) log.warn({ callId, err: error, code: codeOf(error) }, "ended call has no journal");
    return first;
  }

  #endOf(
    request: FinalizationRequest,
    {
      header,
      turns,
      endReason,
      hasEnd,
      frames,
      usageEvents,
      network,
      toolRuns,
      carrierCallId,
      parameters,
      ...projected
    }: JournaledCall,
  ): CallEnd {
    const durationMs = Math.round(projected.durationMs);
    const journaled: EndSummary = {
      reason: endReason,
      endedAtMs: addMs(epochMs(Date.parse(header.startedAt)), durationMs),
      durationMs,
      framesIn: frames.in,
      framesOut: frames.out,
    };
    // The worker that carried the call knows more than a truncated journal.
    const reported = hasEnd ? undefined : this.#reportedEnds.get(request.callId);
    const { usage, cost } = billOf(usageEvents, this.#options.prices);
    const ending = endStatusOf(reported ?? journaled);
    return {
      ...ending,
      transcription: projected.transcription && liveEndOf(ending.endReason, projected.transcription),
      turns,
      toolRuns,
      transcriptComplete: hasEnd,
      carrierCallId,
      parameters,
      hasJournal: true,
      counters: ending.counters,
      latency: latencySummary(turns),
      redaction: header.redaction?.found,
      recordingPauses: projected.recordingPauses.length > 0 ? projected.recordingPauses : undefined,
      network,
      usage,
      cost,
    };
  }
}

/** Identifies a request: the end of a call, and the loss of one of its redemptions, are each queued at most once. */
const keyOf = ({ callId, redemption }: FinalizationRequest): string =>
  redemption === undefined
    ? callId
    : [callId, redemption.workerId, redemption.workerConnection, redemption.epoch].join(" ");

/**
 * The end of a call in its record. A call that the service's fault ended before any audio went either way has failed.
 */
function endStatusOf({ reason, endedAtMs, durationMs, framesIn, framesOut }: EndSummary) {
  const isSilent = framesIn === 0 && framesOut === 0;
  return {
    status: isSilent && SERVICE_FAULT_REASONS.includes(reason) ? ("failed" as const) : ("ended" as const),
    endReason: reason,
    endedAtMs,
    durationMs,
    counters: { framesIn, framesOut },
  };
}

/** Whether the journal exists but cannot be read at present. */
function isTemporarilyUnreadable(error: unknown): boolean {
  const code = systemErrorCodeOf(error);
  return code !== undefined && code !== "ENOENT";
}
