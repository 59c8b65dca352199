import { strictestDays } from "../../core/accounts/account-settings.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, type EpochMs, elapsedMs, epochMs, type MonotonicMs } from "../../core/clocks.ts";
import { codeOf } from "../../core/errors.ts";
import type { AccountId, CallId } from "../../core/ids.ts";
import {
  RETAINED_PARTS,
  type RetainedPart,
  type RetentionDays,
  type RetentionRules,
  retentionDaysOf,
} from "../../core/retention.ts";
import type { AccountStore } from "../../store/accounts/account-store.ts";
import type { CallStore } from "../../store/calls/call-store.ts";
import type { DueCall, RetentionStore } from "../../store/calls/retention-store.ts";
import { bytesOf, deleteFiles, filesOf } from "./call-files.ts";
import type { FilesElsewhere } from "./elsewhere.ts";

const DAY_MS = 86_400_000;
/** Calls in one query. */
const CALLS_PER_QUERY = 100;
/**
 * After each step the job pauses for this many times the step's duration, so that it takes at most a tenth of its
 * process's time.
 */
const REST_FACTOR = 9;
const REST_MS_MIN = 1;

export interface RetentionJobOptions {
  /** Of the service; an account may have shorter ones of its own. */
  rules: RetentionRules;
  accounts: Pick<AccountStore, "list">;
  calls: Pick<CallStore, "remove">;
  store: Omit<RetentionStore, "listKept">;
  dataDir: string;
  /** The files of calls of other nodes; undefined in a service that is alone on its database. */
  elsewhere?: Pick<FilesElsewhere, "delete"> | undefined;
  /** Deletes what other machines have of the files of this part; undefined where this disk alone has them. */
  removeShared?: ((callId: CallId, part: RetainedPart) => Promise<void>) | undefined;
  clock: Clock;
  log: Record<"info" | "error", (fields: object, message: string) => void>;
  /** A part of a call was deleted, with files of this size. */
  onDeleted?: (part: RetainedPart, bytes: number) => void;
  onFailed?: (part: RetainedPart) => void;
  onRun?: () => void;
}

/** How far a run is: the calls of which it has deleted something, or would, and those that it could not delete. */
export interface RetentionProgress {
  records: number;
  recordings: number;
  transcripts: number;
  failed: number;
}

export interface RetentionRun {
  /** Ends the run after its current step. */
  signal?: AbortSignal;
  /** Called after every call. */
  onProgress?: (progress: RetentionProgress) => void;
}

/** What a run deleted, or would delete, of one account. */
export interface RetentionTotal {
  accountName: string;
  part: RetainedPart;
  calls: number;
  /** The size of files; what the database frees is not counted. */
  bytes: number;
}

/**
 * Deletes parts of ended calls when their retention expires: the key of encrypted files and the files first, then what the store holds, so that the next
 * run completes one that died between the two. One step is one call, or a few pages returned to the file system, and
 * the job pauses after each. The write-ahead log is truncated after each deleted record and once at the end of a run.
 *
 * A journal holds audio and words. It is deleted with the recording or the transcript, whichever is first, and the
 * call's events with it.
 */
export class RetentionJob {
  readonly #options: RetentionJobOptions;
  #run: RetentionRun = {};

  constructor(options: RetentionJobOptions) {
    this.#options = options;
  }

  /**
   * Deletes everything that is due. Rejects where the store cannot list it. A call that fails is retried by the next
   * run. One run at a time.
   */
  async run(run: RetentionRun = {}): Promise<readonly RetentionTotal[]> {
    this.#run = run;
    const { clock, log, onRun } = this.#options;
    const begunMs = clock.nowMs();
    const { sums, failed } = await this.#each((accountId, part, call) => this.#delete(accountId, part, call));
    if (sums.length > 0 || failed > 0) {
      await this.#compact();
      const deleted = Object.fromEntries(RETAINED_PARTS.map((part) => [`${part}s`, total(sums, part, "calls")]));
      const bytes = RETAINED_PARTS.reduce((sum, part) => sum + total(sums, part, "bytes"), 0);
      const tookMs = Math.round(elapsedMs(begunMs, clock.nowMs()));
      log.info({ ...deleted, bytes, failed, tookMs }, "retention run finished");
    }
    onRun?.();
    return sums;
  }

  async #compact(): Promise<void> {
    const { clock, store } = this.#options;
    while (this.#run.signal?.aborted !== true) {
      const begunMs = clock.nowMs();
      if (!(await store.compact())) break;
      await this.#restAfter(begunMs);
    }
    await store.purgeChangeLog();
  }

  /** What a run would delete now. */
  async preview(run: RetentionRun = {}): Promise<readonly RetentionTotal[]> {
    this.#run = run;
    const { dataDir } = this.#options;
    const { sums } = await this.#each((_, part, call, cutoffs) => {
      // Such a call's journal is counted with its recording.
      const isCounted = part === "transcript" && call.endedAtMs < cutoffs.recording;
      return isCounted ? Promise.resolve(0) : bytesOf(filesOf(part, dataDir, call.id));
    });
    return sums;
  }

  /** Does `work`, which returns bytes, for every call of which a part is due, in steps. */
  async #each(
    work: (accountId: AccountId, part: RetainedPart, call: DueCall, cutoffs: Cutoffs) => Promise<number>,
  ): Promise<{ sums: readonly RetentionTotal[]; failed: number }> {
    const { accounts, clock, log, rules, onFailed } = this.#options;
    const sums: RetentionTotal[] = [];
    const progress: RetentionProgress = { records: 0, recordings: 0, transcripts: 0, failed: 0 };
    for (const { id: accountId, name: accountName, settings } of await accounts.list()) {
      const days = strictestDays(retentionDaysOf(rules, accountName), settings.retention);
      const cutoffs = cutoffsOf(days, clock.epochMs());
      for (const part of DELETION_ORDER) {
        const sum: RetentionTotal = { accountName, part, calls: 0, bytes: 0 };
        for await (const call of this.#due(accountId, part, cutoffs)) {
          const begunMs = clock.nowMs();
          try {
            sum.bytes += await work(accountId, part, call, cutoffs);
            sum.calls += 1;
            progress[`${part}s`] += 1;
          } catch (error) {
            // When many calls fail for one reason, such as a read-only disk, one log line is enough.
            if (progress.failed === 0)
              log.error(
                { callId: call.id, part, err: error, code: codeOf(error) },
                "retention could not delete a call",
              );
            progress.failed += 1;
            onFailed?.(part);
          }
          this.#run.onProgress?.({ ...progress });
          await this.#restAfter(begunMs);
        }
        if (sum.calls > 0) sums.push(sum);
      }
    }
    return { sums, failed: progress.failed };
  }

  /** Calls of which a part is deleted while their record stays, or whose record is deleted. */
  async *#due(accountId: AccountId, part: RetainedPart, cutoffs: Cutoffs): AsyncGenerator<DueCall> {
    const endedBeforeMs = cutoffs[part];
    if (endedBeforeMs === NEVER) return;
    let after: DueCall | undefined;
    while (this.#run.signal?.aborted !== true) {
      const query = { part, endedBeforeMs, after, limit: CALLS_PER_QUERY };
      const calls = await this.#options.store.listDue(accountId, query);
      for (const call of calls) {
        if (this.#run.signal?.aborted) return;
        if (part === "record" || call.endedAtMs >= cutoffs.record) yield call;
      }
      after = calls.at(-1);
      if (calls.length < CALLS_PER_QUERY) return;
    }
  }

  async #delete(accountId: AccountId, part: RetainedPart, { id }: DueCall): Promise<number> {
    const { calls, dataDir, elsewhere, removeShared, store, onDeleted } = this.#options;
    // The recording may outlive the transcript, and has the same key.
    if (part !== "transcript") await store.deleteMediaKey(id);
    await elsewhere?.delete(id, part);
    const bytes = await deleteFiles(filesOf(part, dataDir, id));
    await removeShared?.(id, part);
    if (part === "record") await calls.remove(accountId, id);
    else if (part === "recording") await store.markRecordingDeleted(id);
    else await store.deleteTranscript(id);
    onDeleted?.(part, bytes);
    return bytes;
  }

  #restAfter(begunMs: MonotonicMs): Promise<void> {
    const { clock } = this.#options;
    const restMs = Math.max(REST_MS_MIN, elapsedMs(begunMs, clock.nowMs()) * REST_FACTOR);
    return new Promise((resolve) => {
      clock.after(restMs, resolve);
    });
  }
}

/** Records first: deleting a record deletes all parts of its call. */
const DELETION_ORDER: readonly RetainedPart[] = ["record", "recording", "transcript"];

const NEVER = epochMs(Number.NEGATIVE_INFINITY);

/** For each part, the time before which a call must have ended for the part to be deleted; or NEVER. */
type Cutoffs = Readonly<Record<RetainedPart, EpochMs>>;

function cutoffsOf(days: RetentionDays, now: EpochMs): Cutoffs {
  const cutoff = (part: RetainedPart): EpochMs => addMs(now, -(days[part] ?? Number.POSITIVE_INFINITY) * DAY_MS);
  return { record: cutoff("record"), recording: cutoff("recording"), transcript: cutoff("transcript") };
}

const total = (sums: readonly RetentionTotal[], of: RetainedPart, field: "calls" | "bytes"): number =>
  sums.filter(({ part }) => part === of).reduce((sum, one) => sum + one[field], 0);
