import { mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { EndReason } from "../core/call-spec.ts";
import type { Clock } from "../core/clock.ts";
import { codeOf, unavailable } from "../core/errors.ts";
import { latencySummary } from "../core/latency.ts";
import type { Logger } from "../core/log.ts";
import { billOf, type Prices } from "../core/prices.ts";
import { RECORDS_AT_ONCE } from "../core/renderer-limits.ts";
import type { CallEnd, CallStore } from "../store/call-store.ts";
import type { EndSummary } from "../store/hand-off.ts";
import { journalPath, systemCodeOf } from "./journal-reader.ts";
import type { JournaledCall, JournalWork } from "./journal-work.ts";
import { type Recording, recordingPath } from "./recording.ts";
import { unfinishedPath } from "./wav-file.ts";

export interface RecordKeeperOptions {
  calls: Pick<CallStore, "get" | "finish">;
  dataDir: string;
  /** Reads the journals and writes the recordings: in a process of its own where calls are live. */
  journals: JournalWork;
  /** What providers charge; undefined where that is not known. */
  prices?: Prices | undefined;
  clock: Clock;
  log: Logger;
  /** The call's end can no longer be forgotten; it took so long to record. */
  onKept: (callId: string, tookMs: number) => void;
  /** A recording could not be made; its call's record says so. */
  onRecordingFailed?: () => void;
}

/** Reasons that are our own fault. */
const OUR_FAULT: readonly EndReason[] = ["worker_lost", "provider_error", "drain_timeout"];

/** A store that could not take a record is asked again after this long, for as long as it takes. */
const RETRY_MS = 1_000;
/**
 * A journal that is there, and that the system does not let be read, be it for want of open files, is tried this often in a row.
 * Only then does its call go without: every call ends in a record.
 */
const READ_TRIES_MAX = 60;

/**
 * Has records, transcripts and recordings of ended calls made from their journals, and deletes what is to be forgotten: some calls
 * at a time, for each waits for the disk, and for the loop, dozens of times; and of each call one thing after the other.
 */
export class RecordKeeper {
  readonly #options: RecordKeeperOptions;
  readonly #queued = new Set<string>();
  /** What workers reported of the ends of calls that have no record yet: at most one each. */
  readonly #reportedEnds = new Map<string, EndSummary>();
  /** What is done last of each call that there is something to do for; never rejects. */
  readonly #last = new Map<string, Promise<void>>();
  /** Those who wait for their turn, in order. */
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(options: RecordKeeperOptions) {
    this.#options = options;
    mkdirSync(join(options.dataDir, "recordings"), { recursive: true, mode: 0o700 });
  }

  /** Calls that wait for their records, and calls that are in work. */
  get count(): { waiting: number; in_progress: number } {
    return { waiting: this.#waiting.length, in_progress: this.#busy };
  }

  /**
   * The call is over, as its worker reports by `end`, or its worker is gone. Asking twice, late, or for a call that was removed does
   * no harm.
   */
  keep(callId: string, end?: EndSummary): void {
    if (end !== undefined) this.#reportedEnds.set(callId, end);
    this.#enqueue(callId, READ_TRIES_MAX);
  }

  /** `tries` is how often its journal may still be read in vain. */
  #enqueue(callId: string, tries: number): void {
    if (this.#queued.has(callId)) return;
    this.#queued.add(callId);
    void this.#inTurn(callId, () => this.#keep(callId, tries));
  }

  /** Behind everything of this call, when fewer than RECORDS_AT_ONCE are in work. */
  #inTurn(callId: string, work: () => Promise<void>): Promise<void> {
    const done = (this.#last.get(callId) ?? Promise.resolve()).then(async () => {
      if (this.#busy === RECORDS_AT_ONCE) await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
        if (this.#last.get(callId) === settled) this.#last.delete(callId);
      });
    this.#last.set(callId, settled);
    return done;
  }

  /**
   * Deletes the files of a call that is over: its journal, its recording, and what a dead process left of one. Those that
   * are not there are no error, and none comes back. Rejects with `unavailable` when the disk refuses; ask again then.
   */
  remove(callId: string): Promise<void> {
    return this.#inTurn(callId, () => this.#remove(callId));
  }

  /** Resolves when everything asked for until now is done. */
  async idle(): Promise<void> {
    await Promise.all(this.#last.values());
  }

  async #remove(callId: string): Promise<void> {
    const { dataDir } = this.#options;
    const recording = recordingPath(dataDir, callId);
    try {
      for (const path of [recording, unfinishedPath(recording), journalPath(dataDir, callId)]) {
        await rm(path, { force: true });
      }
    } catch (error) {
      throw unavailable("the files of a call could not be removed", error);
    }
  }

  async #keep(callId: string, tries: number): Promise<void> {
    const { clock, log, onKept } = this.#options;
    const begunMs = clock.nowMs();
    try {
      const finished = await this.#finish(callId, tries);
      if (finished !== undefined) log.info({ callId, ...finished }, "call recorded");
      this.#reportedEnds.delete(callId);
      onKept(callId, clock.nowMs() - begunMs);
    } catch (error) {
      log.error({ callId, err: error, code: codeOf(error) }, "an ended call could not be recorded yet");
      const triesLeft = isWithheld(error) ? tries - 1 : READ_TRIES_MAX;
      clock.after(RETRY_MS, () => this.#enqueue(callId, triesLeft));
    } finally {
      this.#queued.delete(callId);
    }
  }

  /** Returns what the log tells of the call, if this was its end. Of one that is over already, or gone, nothing is made again. */
  async #finish(callId: string, tries: number): Promise<{ carrierCallId?: string } | undefined> {
    const { calls, journals } = this.#options;
    let projected: JournaledCall;
    try {
      projected = await journals.project(callId);
    } catch (error) {
      if (isWithheld(error) && tries > 1) throw error;
      return (await this.#finishWithoutJournal(callId, error)) ? {} : undefined;
    }
    const { header, carrierCallId } = projected;
    const call = await calls.get(header.accountId, callId);
    if (call?.status !== "active" || !(await calls.finish(callId, await this.#endOf(callId, projected))))
      return undefined;
    return carrierCallId === undefined ? {} : { carrierCallId };
  }

  /** The worker died, or its disk failed, before anything of the call was written; or nobody can read what was. */
  async #finishWithoutJournal(callId: string, error: unknown): Promise<boolean> {
    const { calls, clock, log } = this.#options;
    const reported = this.#reportedEnds.get(callId);
    const end =
      reported === undefined
        ? { status: "failed" as const, endReason: "worker_lost" as const, endedAtMs: clock.epochMs(), durationMs: 0 }
        : endBy(reported);
    const first = await calls.finish(callId, { ...end, turns: [], transcriptComplete: false });
    if (first) log.warn({ callId, err: error, code: codeOf(error) }, "an ended call left no journal");
    return first;
  }

  async #endOf(
    callId: string,
    { header, turns, endReason, hasEnd, frames, used, carrierCallId, ...projected }: JournaledCall,
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
    const reported = hasEnd ? undefined : this.#reportedEnds.get(callId);
    const recording = await this.#render(callId);
    const { usage, cost } = billOf(used, this.#options.prices);
    const ending = endBy(reported ?? journaled);
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

  async #render(callId: string): Promise<Recording | "failed" | undefined> {
    const { journals, dataDir, log, onRecordingFailed } = this.#options;
    try {
      const recording = await journals.render(callId);
      return recording && { ...recording, durationMs: Math.round(recording.durationMs) };
    } catch (error) {
      log.error({ callId, err: error, code: codeOf(error) }, "a recording could not be rendered");
      onRecordingFailed?.();
      // A renderer that died has left what it had written.
      await rm(unfinishedPath(recordingPath(dataDir, callId)), { force: true }).catch(() => {});
      return "failed";
    }
  }
}

/** What the record has of a call's end. A call that our own fault ended before any audio went either way has failed. */
function endBy({ reason, endedAtMs, durationMs, framesIn, framesOut }: EndSummary) {
  const isSilent = framesIn === 0 && framesOut === 0;
  return {
    status: isSilent && OUR_FAULT.includes(reason) ? ("failed" as const) : ("ended" as const),
    endReason: reason,
    endedAtMs,
    durationMs,
    counters: { framesIn, framesOut },
  };
}

/** Whether there is a journal, and the system only does not let it be read just now. */
function isWithheld(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code !== undefined && code !== "ENOENT";
}
