import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { billOf, type Prices } from "../../core/billing/prices.ts";
import { latencySummary } from "../../core/calls/latency.ts";
import type { EndReason } from "../../core/calls/spec.ts";
import type { Clock } from "../../core/clock.ts";
import { codeOf, unavailable } from "../../core/errors.ts";
import {
  PROJECTIONS_CACHED_MAX,
  RECORD_RETRY_MS,
  RECORD_RETRY_MS_MAX,
  RECORDS_CONCURRENT_MAX,
} from "../../core/limits/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { EndSummary } from "../../store/call-handoff.ts";
import type { CallEnd, CallRedemption, CallStore } from "../../store/call-store.ts";
import { journalPath, systemErrorCodeOf } from "../journal/reader.ts";
import { type Recording, recordingPath } from "../recording/render.ts";
import type { JournaledCall, JournalProcessor } from "./journal-processor.ts";

export interface CallFinalizerOptions {
  calls: Pick<CallStore, "get" | "finish">;
  dataDir: string;
  /** Reads the journals and writes the recordings: in a process of its own where calls are live. */
  journals: JournalProcessor;
  /** What providers charge; undefined where that is not known. */
  prices?: Prices | undefined;
  clock: Clock;
  log: Logger;
  /** The call's end can no longer be forgotten; it took so long to record. */
  onFinalized: (callId: string, tookMs: number) => void;
  /** A recording could not be made; its call's record says so. */
  onRecordingFailed?: () => void;
}

/** Reasons that are our own fault. */
const SERVICE_FAULT_REASONS: readonly EndReason[] = ["worker_lost", "provider_error", "drain_timeout"];

/**
 * A journal that is there, and that the system does not let be read, be it for want of open files, is tried this often in a row.
 * Only then does its call go without: every call ends in a record.
 */
const READ_ATTEMPTS_MAX = 60;

/** Errors of the system that end by themselves: a recording that fails by one of them is made later. */
const TRANSIENT_ERROR_CODES: readonly string[] = ["ENOSPC", "EDQUOT", "EMFILE", "ENFILE"];

/** One end to record, from the moment it is asked for until it is recorded, or another end is. */
interface FinalizationRequest {
  callId: string;
  /** The redemption whose worker is lost; absent where the call is over, whichever redemption it was. */
  redemption: CallRedemption | undefined;
  /** Whether the worker is still lost. */
  isLost: () => boolean;
  /** How often the journal may still be read in vain. */
  attemptsLeft: number;
  retryMs: number;
  /** What was made by a try before: what fails behind it does not have it made again. */
  projected?: JournaledCall | undefined;
  rendered?: { recording: Recording | "failed" | undefined };
}

/**
 * Has records, transcripts and recordings of ended calls made from their journals, and deletes what is to be forgotten: some calls
 * at a time, for each waits for the disk, and for the loop, dozens of times; and of each call one thing after the other.
 */
export class CallFinalizer {
  readonly #options: CallFinalizerOptions;
  /** The asks that are not done, by `keyOf`. */
  readonly #queued = new Map<string, FinalizationRequest>();
  /** What workers reported of the ends of calls that have no record yet: at most one each. */
  readonly #reportedEnds = new Map<string, EndSummary>();
  /** What is done last of each call that there is something to do for; never rejects. */
  readonly #tailOfCall = new Map<string, Promise<void>>();
  /** Those who wait for their turn, in order. */
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  /** Asks that wait for their next try. */
  #retrying = 0;

  constructor(options: CallFinalizerOptions) {
    this.#options = options;
    mkdirSync(join(options.dataDir, "recordings"), { recursive: true, mode: 0o700 });
  }

  /** Calls that wait for their records, and calls that are in work. */
  get count(): { waiting: number; in_progress: number } {
    return { waiting: this.#waiting.length + this.#retrying, in_progress: this.#busy };
  }

  /** The call is over, as its worker reports by `end`. Asking twice, late, or for a call that was removed does no harm. */
  finalize(callId: string, end?: EndSummary): void {
    if (end !== undefined) this.#reportedEnds.set(callId, end);
    this.#enqueue(callId, undefined, () => true);
  }

  /**
   * The worker that redeemed the call is gone. Nothing is recorded when that redemption was returned before the turn comes, or the
   * call is active by another one, or `isLost` has become false.
   */
  finalizeLost({ id, workerId, workerConnection, epoch }: { id: string } & CallRedemption, isLost = () => true): void {
    this.#enqueue(id, { workerId, workerConnection, epoch }, isLost);
  }

  #enqueue(callId: string, redemption: CallRedemption | undefined, isLost: () => boolean): void {
    const ask = { callId, redemption, isLost, attemptsLeft: READ_ATTEMPTS_MAX, retryMs: RECORD_RETRY_MS };
    if (this.#queued.has(keyOf(ask))) return;
    this.#queued.set(keyOf(ask), ask);
    void this.#enqueueForCall(callId, () => this.#process(ask));
  }

  /** Behind everything of this call, when fewer than RECORDS_AT_ONCE are in work. */
  #enqueueForCall(callId: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#tailOfCall.get(callId) ?? Promise.resolve()).then(async () => {
      if (this.#busy === RECORDS_CONCURRENT_MAX) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else this.#busy += 1;
      try {
        await work();
      } finally {
        const next = this.#waiting.shift();
        // Whoever waits takes over the place.
        if (next === undefined) this.#busy -= 1;
        else next();
      }
    });
    const settled = done
      .catch(() => {})
      .then(() => {
        if (this.#tailOfCall.get(callId) === settled) this.#tailOfCall.delete(callId);
      });
    this.#tailOfCall.set(callId, settled);
    return done;
  }

  /**
   * Deletes the files of a call that is over: its journal and its recording. Those that are not there are no error, and none
   * comes back. Rejects with `unavailable` when the disk refuses; ask again then.
   */
  deleteFiles(callId: string): Promise<void> {
    return this.#enqueueForCall(callId, () => this.#deleteFiles(callId));
  }

  /** Resolves when everything asked for until now is done. */
  async idle(): Promise<void> {
    await Promise.all(this.#tailOfCall.values());
  }

  async #deleteFiles(callId: string): Promise<void> {
    const { dataDir } = this.#options;
    const recording = recordingPath(dataDir, callId);
    try {
      for (const path of [recording, journalPath(dataDir, callId)]) await rm(path, { force: true });
    } catch (error) {
      throw unavailable("the files of a call could not be removed", error);
    }
  }

  async #process(ask: FinalizationRequest): Promise<void> {
    const { clock, log, onFinalized } = this.#options;
    const { callId, redemption } = ask;
    const begunMs = clock.nowMs();
    try {
      const finished = await this.#finish(ask);
      this.#queued.delete(keyOf(ask));
      if (finished !== undefined) log.info({ callId, ...finished }, "call record stored");
      // A lost redemption that is none of the call's any more says nothing of the call's end.
      else if (redemption !== undefined) return;
      this.#reportedEnds.delete(callId);
      onFinalized(callId, clock.nowMs() - begunMs);
    } catch (error) {
      log.error({ callId, err: error, code: codeOf(error) }, "call record could not be stored yet");
      this.#retryLater(ask);
    }
  }

  /** Its place is left to others meanwhile, so that files can be deleted from a full disk. */
  #retryLater(ask: FinalizationRequest): void {
    // The number of calls is bounded, the length of their transcripts hardly.
    if (this.#retrying >= PROJECTIONS_CACHED_MAX) ask.projected = undefined;
    this.#retrying += 1;
    this.#options.clock.after(ask.retryMs, () => {
      this.#retrying -= 1;
      void this.#enqueueForCall(ask.callId, () => this.#process(ask));
    });
  }

  /** Returns what the log tells of the call, if this was its end. Of one that is over already, or gone, nothing is made again. */
  async #finish(ask: FinalizationRequest): Promise<{ carrierCallId?: string } | undefined> {
    const { calls } = this.#options;
    const { callId, redemption, isLost } = ask;
    if (!isLost()) return undefined;
    const projected = await this.#project(ask);
    if (projected instanceof Error) {
      return isLost() && (await this.#finishWithoutJournal(ask, projected)) ? {} : undefined;
    }
    const { header, carrierCallId } = projected;
    const call = await calls.get(header.accountId, callId);
    if (call?.status !== "active" || !isLost()) return undefined;
    const end = await this.#endOf(ask, projected);
    // The recording took its time.
    if (!isLost() || !(await calls.finish(callId, end, redemption))) return undefined;
    return carrierCallId === undefined ? {} : { carrierCallId };
  }

  /** Resolves with an error where nobody can read the journal; rejects while that may change. */
  async #project(ask: FinalizationRequest): Promise<JournaledCall | Error> {
    try {
      ask.projected ??= await this.#options.journals.project(ask.callId);
      return ask.projected;
    } catch (error) {
      if (codeOf(error) === "unavailable") throw error;
      if (isTemporarilyUnreadable(error)) ask.attemptsLeft -= 1;
      if (isTemporarilyUnreadable(error) && ask.attemptsLeft > 0) throw error;
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** The worker died, or its disk failed, before anything of the call was written; or nobody can read what was. */
  async #finishWithoutJournal({ callId, redemption }: FinalizationRequest, error: Error): Promise<boolean> {
    const { calls, clock, log } = this.#options;
    const reported = this.#reportedEnds.get(callId);
    const end =
      reported === undefined
        ? { status: "failed" as const, endReason: "worker_lost" as const, endedAtMs: clock.epochMs(), durationMs: 0 }
        : endStatusOf(reported);
    const first = await calls.finish(callId, { ...end, turns: [], transcriptComplete: false }, redemption);
    if (first) log.warn({ callId, err: error, code: codeOf(error) }, "ended call has no journal");
    return first;
  }

  async #endOf(
    ask: FinalizationRequest,
    { header, turns, endReason, hasEnd, frames, usageEvents, carrierCallId, ...projected }: JournaledCall,
  ): Promise<CallEnd> {
    const durationMs = Math.round(projected.durationMs);
    const journaled: EndSummary = {
      reason: endReason,
      endedAtMs: Date.parse(header.startedAt) + durationMs,
      durationMs,
      framesIn: frames.in,
      framesOut: frames.out,
    };
    // A journal that breaks off knows less than the worker that held the call.
    const reported = hasEnd ? undefined : this.#reportedEnds.get(ask.callId);
    ask.rendered ??= { recording: await this.#render(ask) };
    const { recording } = ask.rendered;
    const { usage, cost } = billOf(usageEvents, this.#options.prices);
    const ending = endStatusOf(reported ?? journaled);
    return {
      ...ending,
      turns,
      transcriptComplete: hasEnd,
      carrierCallId,
      recording: recording === "failed" ? undefined : recording,
      counters: { ...ending.counters, ...(recording === "failed" && { recordingFailures: 1 }) },
      latency: latencySummary(turns),
      usage,
      cost,
    };
  }

  /** Rejects while nothing but the lack of space, of open files, or of a renderer keeps the recording from being made. */
  async #render(ask: FinalizationRequest): Promise<Recording | "failed" | undefined> {
    const { journals, log, onRecordingFailed } = this.#options;
    const { callId } = ask;
    try {
      const recording = await journals.render(callId);
      return recording && { ...recording, durationMs: Math.round(recording.durationMs) };
    } catch (error) {
      if (codeOf(error) === "unavailable") throw error;
      if (TRANSIENT_ERROR_CODES.includes(systemErrorCodeOf(error) ?? "")) {
        // Each try writes until the disk is full, and takes the space from others.
        ask.retryMs = Math.min(2 * ask.retryMs, RECORD_RETRY_MS_MAX);
        throw error;
      }
      log.error({ callId, err: error, code: codeOf(error) }, "recording could not be rendered");
      onRecordingFailed?.();
      return "failed";
    }
  }
}

/** The end of a call, and that of one of its redemptions, are asked for at most once each. */
const keyOf = ({ callId, redemption }: FinalizationRequest): string =>
  redemption === undefined
    ? callId
    : [callId, redemption.workerId, redemption.workerConnection, redemption.epoch].join(" ");

/** What the record has of a call's end. A call that our own fault ended before any audio went either way has failed. */
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

/** Whether there is a journal, and the system only does not let it be read just now. */
function isTemporarilyUnreadable(error: unknown): boolean {
  const code = systemErrorCodeOf(error);
  return code !== undefined && code !== "ENOENT";
}
