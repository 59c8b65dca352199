import { existsSync } from "node:fs";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf, TrunklineError, unavailable } from "../../core/errors.ts";
import type { CallId } from "../../core/ids.ts";
import {
  BUCKET_END_MS_MAX,
  BUCKET_LATE_MS,
  GROWING_JOURNALS_MAX,
  INCOMPLETE_AFTER_MS,
} from "../../core/limits/storage/bucket.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { RetainedPart } from "../../core/retention.ts";
import { JobPostponed } from "../../jobs/handler.ts";
import type { RetentionStore } from "../../store/calls/retention-store.ts";
import type { JournaledCall, JournalProcessor } from "../finalization/journal-processor.ts";
import { journalPath } from "../journal/reader.ts";
import type { Recording } from "../recording/render.ts";
import type { SpanRequest } from "../traces/spans.ts";
import type { JournalShipper } from "./journal-shipper.ts";
import type { Edition } from "./keys.ts";
import type { LateDeletions } from "./late-deletions.ts";
import type { SharedJournals } from "./shared-journals.ts";
import type { SharedRecordings } from "./shared-recordings.ts";

export interface SharedMediaOptions {
  dataDir: string;
  journals: SharedJournals;
  recordings: SharedRecordings;
  shipper: JournalShipper;
  store: Pick<RetentionStore, "listKept">;
  lateDeletions: Pick<LateDeletions, "plan">;
  /**
   * A journal to which nothing was shipped for so long, ms, has no worker any more that writes it, or that reaches the bucket. 0 where no
   * node runs.
   */
  quietMs: number;
  /** A file of the call on this disk was used. */
  onUsed: (callId: CallId) => void;
  clock: Clock;
  log: Pick<Logger, "warn">;
}

/** A journal that grows although its call was taken over. */
interface GrowingJournal {
  /** Where it ended, in bytes. */
  endBytes: number;
  /** Since when it has ended there. */
  sinceMs: MonotonicMs;
  /** It cannot be known to have ended before. */
  askAgainMs: MonotonicMs;
}

/**
 * The journals and recordings of calls, wherever they are: on this disk or in the bucket. What is read is fetched to this disk first, but
 * for recordings, which are long.
 */
export class SharedMedia {
  readonly #options: SharedMediaOptions;
  /** One of each kind for each call: one that takes only the whole says nothing to one that takes a part. */
  readonly #fetches = { part: new Map<CallId, Promise<boolean>>(), whole: new Map<CallId, Promise<boolean>>() };
  /** The journals that grow although their calls were taken over. */
  readonly #growing = new Map<CallId, GrowingJournal>();

  constructor(options: SharedMediaOptions) {
    this.#options = options;
  }

  /**
   * Brings the journal of a call to this disk, as a whole or not at all; one that is here already is not touched. Resolves with whether it
   * is here now, and rejects with `unavailable` while that cannot be found out. Of a call that is not over this is what its worker shipped
   * before it was lost: rejects with `journal_growing` while it ships on. The journal of one that is over is waited for until its node has
   * shipped the end, an hour at most: after that it is what was shipped.
   */
  fetch(callId: CallId): Promise<boolean> {
    return this.#fetchOnce(callId, true);
  }

  /** Fetches the journal where the bucket has all of it. Resolves with whether it is on this disk. */
  fetchComplete(callId: CallId): Promise<boolean> {
    return this.#fetchOnce(callId, false);
  }

  #fetchOnce(callId: CallId, acceptsPart: boolean): Promise<boolean> {
    const fetches = acceptsPart ? this.#fetches.part : this.#fetches.whole;
    const running = fetches.get(callId);
    if (running !== undefined) return running;
    const fetching = this.#fetch(callId, acceptsPart).finally(() => fetches.delete(callId));
    fetches.set(callId, fetching);
    return fetching;
  }

  async #fetch(callId: CallId, acceptsPart: boolean): Promise<boolean> {
    const { dataDir, journals, shipper, onUsed } = this.#options;
    const path = journalPath(dataDir, callId);
    onUsed(callId);
    if (existsSync(path)) {
      this.#growing.delete(callId);
      return true;
    }
    const manifest = await journals.manifest(callId);
    if (manifest !== undefined) this.#growing.delete(callId);
    if (manifest === undefined && !(acceptsPart && (await this.#mayBePart(callId)))) return false;
    const isHere = await journals.fetch(callId, path, manifest);
    if (isHere && manifest !== undefined) shipper.noteComplete(callId);
    return isHere;
  }

  /** Whether what there is of a journal is all that there will be. Rejects with `unavailable` where its end may still come. */
  async #mayBePart(callId: CallId): Promise<boolean> {
    const { store, clock } = this.#options;
    const kept = (await store.listKept([callId])).get(callId);
    if (kept?.keepsJournal !== true) return false;
    const { endedAtMs } = kept;
    if (endedAtMs !== undefined && elapsedMs(endedAtMs, clock.epochMs()) < INCOMPLETE_AFTER_MS)
      throw unavailable("the end of the journal is not in the bucket yet");
    if (endedAtMs === undefined && (await this.#isGrowing(callId)))
      throw new TrunklineError("journal_growing", "service", "a worker still ships the journal");
    return true;
  }

  /**
   * Whether a worker still ships the journal of a call that is not over. Its node is cut off from the store, but not from the bucket: what
   * its caller says meanwhile is to be in the record, which is made once. Whatever age the bucket says, a journal that does not grow is
   * waited for only so long.
   */
  async #isGrowing(callId: CallId): Promise<boolean> {
    const { journals, quietMs, clock, log } = this.#options;
    const before = this.#growing.get(callId);
    if (before !== undefined && clock.nowMs() < before.askAgainMs) return true;
    const { endBytes, ageMs = quietMs } = (await journals.newest(callId, "live")) ?? { endBytes: 0 };
    const nowMs = clock.nowMs();
    const hasGrown = before !== undefined && endBytes > before.endBytes;
    const sinceMs = before === undefined || hasGrown ? nowMs : before.sinceMs;
    const isGrowing = hasGrown || (ageMs < quietMs && elapsedMs(sinceMs, nowMs) < quietMs);
    if (!isGrowing) {
      this.#growing.delete(callId);
      return false;
    }
    if (before === undefined)
      log.warn({ callId }, "a node whose calls were taken still ships the journal of one: its record waits");
    const quietInMs = Math.min(quietMs - elapsedMs(sinceMs, nowMs), Math.max(0, quietMs - ageMs));
    this.#noteGrowing(callId, { endBytes, sinceMs, askAgainMs: addMs(nowMs, quietInMs) });
    return true;
  }

  #noteGrowing(callId: CallId, journal: GrowingJournal): void {
    this.#growing.set(callId, journal);
    const [oldest] = this.#growing.keys();
    if (this.#growing.size > GROWING_JOURNALS_MAX && oldest !== undefined) this.#growing.delete(oldest);
  }

  /** The same processor, which finds the journals of all nodes and leaves what it makes in the bucket. */
  processing(inner: JournalProcessor): JournalProcessor {
    return {
      project: (callId, trace, isRedacted) => this.#project(inner, callId, trace, isRedacted),
      render: async (callId, onProgress) => {
        await this.fetch(callId);
        const recording = await inner.render(callId, onProgress);
        if (recording !== undefined) await this.#store(callId, recording);
        return recording;
      },
    };
  }

  /**
   * The end of the journal is in the bucket before the record is in the store, unless the bucket does not answer. Nothing is shipped of a
   * call that the store does not know, or of which it has deleted the journal: another node had taken it.
   */
  async #project(
    inner: JournalProcessor,
    callId: CallId,
    trace: SpanRequest | undefined,
    isRedacted: boolean | undefined,
  ): Promise<JournaledCall> {
    const { shipper, lateDeletions, clock } = this.#options;
    const isHere = await this.fetch(callId);
    // Its lost node may have sent the beginning, which would then be all that there is of it.
    if (!isHere && isRedacted === true) await lateDeletions.plan({ callId, kept: NO_EDITION });
    const projected = await inner.project(callId, trace, isRedacted);
    if (isRedacted === undefined) return projected;
    await new Promise<void>((resolve) => {
      const cancel = clock.after(BUCKET_END_MS_MAX, resolve);
      void shipper.finish(callId, isRedacted).then(() => {
        cancel();
        resolve();
      });
    });
    return projected;
  }

  /** A recording that the bucket does not take now waits on this disk. */
  async #store(callId: CallId, recording: Recording): Promise<void> {
    const { recordings, log, onUsed } = this.#options;
    onUsed(callId);
    try {
      await recordings.store(callId);
    } catch (error) {
      const fields = { callId, durationMs: recording.durationMs, err: error, code: codeOf(error) };
      log.warn(fields, "a recording could not be stored in the bucket yet: it waits on this disk");
    }
  }

  /**
   * Deletes from the bucket what retention deletes with this part of a call, and has it deleted again when nothing can be on its way any
   * more. Rejects as `Bucket` and the store do.
   */
  async remove(callId: CallId, part: RetainedPart): Promise<void> {
    await this.#options.lateDeletions.plan({ callId, part });
    await this.removeNow(callId, part);
  }

  /** As `remove`, this once. Resolves with whether there was something of the journal. */
  async removeNow(callId: CallId, part: RetainedPart): Promise<boolean> {
    const { recordings, shipper } = this.#options;
    if (part !== "transcript") await recordings.remove(callId);
    return await shipper.remove(callId);
  }

  /**
   * Deletes the originals of the journal of a redacted call; `kept` is the edition that was complete when that was planned. Resolves with
   * whether there was one. Rejects with `JobPostponed` while the call is not over: what there is may be what its worker ships.
   */
  async removeOriginal(callId: CallId, kept: Edition): Promise<boolean> {
    const { store, journals } = this.#options;
    const call = (await store.listKept([callId])).get(callId);
    if (call !== undefined && call.endedAtMs === undefined) throw new JobPostponed(BUCKET_LATE_MS);
    return await journals.removeOthers(callId, kept);
  }
}

/** What is kept of a journal of which nothing was in the bucket. */
const NO_EDITION: Edition = "redacted-none";
