import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, epochMs, type MonotonicMs } from "../../core/clocks.ts";
import { type MediaKey, mediaKeyOf } from "../../core/encryption/chunks.ts";
import { codeOf } from "../../core/errors.ts";
import type { CallId, WorkerId } from "../../core/ids.ts";
import { COMMITS_COMPARED_MAX, COMMITS_COMPARED_MS } from "../../core/limits/storage/storage.ts";
import type { Logger } from "../../core/log/logger.ts";
import type { EndSummary } from "../../store/call-handoff.ts";
import type { ActiveCall, CallStore } from "../../store/calls/call-store.ts";
import type { MediaKeyStore } from "../../store/calls/media-key-store.ts";
import type { JournalHeader } from "../journal/records.ts";
import type { CallFinalizer } from "./finalizer.ts";

const RETRY_MS = 1_000;

export interface LostCommitsOptions {
  calls: Pick<CallStore, "restore" | "listActive">;
  mediaKeys: Pick<MediaKeyStore, "restore">;
  finalizer: Pick<CallFinalizer, "finalize" | "finalizeLost" | "withFiles">;
  workers: {
    /** The number of the worker's connection; undefined while it has none. */
    connectionOf(workerId: WorkerId): number | undefined;
    /** Resolves when all earlier events of the workers' socket have been delivered. */
    caughtUp(): Promise<void>;
  };
  /** The first record of a call's journal on this disk; undefined where it cannot be read. */
  headerOf: (callId: CallId, key: MediaKey | undefined) => Promise<JournalHeader | undefined>;
  /** Has a worker end a call whose record is another's, as `worker_lost`. */
  endCall: (workerId: WorkerId, callId: CallId) => void;
  isDatabaseLost: () => boolean;
  /** The number of this start of the control process. */
  epoch: number;
  clock: Clock;
  log: Logger;
}

/** A call whose token this process has redeemed. */
interface BegunCall {
  workerId: WorkerId;
  /** Undefined where its media are not encrypted. */
  mediaKey: MediaKey | undefined;
  atMs: MonotonicMs;
}

/** A call that is over. */
interface EndedCall {
  /** The report of its worker; undefined where that is lost. */
  end: EndSummary | undefined;
  /** Its record was stored, or there was nothing to store. */
  isRecorded: boolean;
  atMs: MonotonicMs;
}

type ActiveCalls = ReadonlyMap<CallId, ActiveCall>;

/**
 * The redemptions and the ends of calls that this process has committed of late. A replica of Postgres that becomes the primary may lack
 * them: calls are then compared with it, and what it lacks is stored again, from their journals. So no live call is without its row, and
 * no token of one is valid again.
 */
export class LostCommits {
  readonly #options: LostCommitsOptions;
  /** Both are in the order of their times. */
  readonly #begun = new Map<CallId, BegunCall>();
  readonly #ended = new Map<CallId, EndedCall>();
  /** The calls that were stored again since the server changed, of which the key may still be missing. */
  readonly #restored = new Set<CallId>();
  #comparing: Promise<void> = Promise.resolve();

  constructor(options: LostCommitsOptions) {
    this.#options = options;
  }

  /** A worker has redeemed the call's token; `mediaKey` is that of `RedeemedCall`. */
  begun(callId: CallId, workerId: WorkerId, mediaKey?: string): void {
    const key = mediaKey === undefined ? undefined : mediaKeyOf(callId, mediaKey);
    this.#note(this.#begun, callId, { workerId, mediaKey: key, atMs: this.#options.clock.nowMs() });
  }

  /** The redemption was returned. */
  returned(callId: CallId): void {
    this.#begun.delete(callId);
  }

  /** The call is over by its worker's report. */
  ended(callId: CallId, end: EndSummary | undefined): void {
    this.#note(this.#ended, callId, { end, isRecorded: false, atMs: this.#options.clock.nowMs() });
  }

  /** The call has its record, also one whose worker was lost. */
  recorded(callId: CallId): void {
    const end = this.#ended.get(callId)?.end;
    this.#note(this.#ended, callId, { end, isRecorded: true, atMs: this.#options.clock.nowMs() });
  }

  /** Another server answers than the one that did so last, at `answeredMs`. Resolves when nothing is missing there. Never rejects. */
  compare(answeredMs: MonotonicMs): Promise<void> {
    const sinceMs = addMs(answeredMs, -COMMITS_COMPARED_MS);
    for (const known of [this.#begun, this.#ended]) forgetBefore(known, sinceMs);
    this.#comparing = this.#comparing.then(() => this.#compareUntilDone());
    return this.#comparing;
  }

  #note<Call extends { atMs: MonotonicMs }>(known: Map<CallId, Call>, callId: CallId, call: Call): void {
    known.delete(callId);
    known.set(callId, call);
    // While the database is away nothing gets older: what was committed before may be missing when it is back.
    if (!this.#options.isDatabaseLost()) forgetBefore(known, addMs(call.atMs, -COMMITS_COMPARED_MS));
    const [oldest] = known.keys();
    if (known.size > COMMITS_COMPARED_MAX && oldest !== undefined) known.delete(oldest);
  }

  async #compareUntilDone(): Promise<void> {
    const { clock, log } = this.#options;
    for (;;) {
      try {
        await this.#compareOnce();
        return;
      } catch (error) {
        log.error({ err: error, code: codeOf(error) }, "calls could not be compared with the new database server yet");
      }
      await new Promise<void>((resolve) => {
        clock.after(RETRY_MS, resolve);
      });
    }
  }

  async #compareOnce(): Promise<void> {
    const { calls, workers, log } = this.#options;
    await workers.caughtUp();
    const begun = new Map(this.#begun);
    const known = await this.#activeIds();
    for (const [callId, call] of begun) if (!known.has(callId)) await this.#restore(callId, call);
    const active = new Map((await calls.listActive()).map((call) => [call.id, call]));
    const [restored, ended] = [await this.#completeRestored(begun, active), this.#endOthers(begun, active)];
    const finished = this.#finishAgain(active);
    this.#restored.clear();
    if (restored + ended + finished > 0)
      log.warn(
        { restored, ended, finished },
        "the new database server lacked commits of this node: calls were compared",
      );
    else log.info("another database server answers, or it was started again: it lacks no call of this node");
  }

  /** Those that are this process's calls again get their keys, and an end where their worker is gone meanwhile. */
  async #completeRestored(begun: ReadonlyMap<CallId, BegunCall>, active: ActiveCalls): Promise<number> {
    const { mediaKeys, finalizer, workers } = this.#options;
    const isLost = ({ workerId }: ActiveCall): boolean => workers.connectionOf(workerId) === undefined;
    let count = 0;
    for (const callId of this.#restored) {
      const call = active.get(callId);
      if (call === undefined) continue;
      const key = begun.get(callId)?.mediaKey;
      if (key !== undefined) await mediaKeys.restore(call.accountId, key);
      if (isLost(call)) finalizer.finalizeLost(call, () => isLost(call));
      count += 1;
    }
    return count;
  }

  /** Another stream has the token of such a call since, or it was cancelled: the database says whose call it is. */
  #endOthers(begun: ReadonlyMap<CallId, BegunCall>, active: ActiveCalls): number {
    const others = [...begun].filter(
      ([callId]) => !active.has(callId) && !this.#ended.has(callId) && this.#begun.has(callId),
    );
    for (const [callId, { workerId }] of others) this.#options.endCall(workerId, callId);
    return others.length;
  }

  /** Returns how many of these had their records before. */
  #finishAgain(active: ActiveCalls): number {
    const { finalizer } = this.#options;
    const missing = [...this.#ended].filter(([callId]) => active.has(callId));
    // An attempt that has looked for the call before it was restored ends first.
    for (const [callId, { end }] of missing)
      void finalizer.withFiles(callId, async () => finalizer.finalize(callId, end));
    return missing.filter(([, { isRecorded }]) => isRecorded).length;
  }

  async #activeIds(): Promise<ReadonlySet<CallId>> {
    return new Set((await this.#options.calls.listActive()).map(({ id }) => id));
  }

  /** Does nothing for a call that never had a journal: its redemption is returned, or it wrote none. */
  async #restore(callId: CallId, { workerId, mediaKey }: BegunCall): Promise<void> {
    const { calls, workers, headerOf, epoch } = this.#options;
    const header = await headerOf(callId, mediaKey);
    if (header === undefined) return;
    const { accountId, spec, startedAt } = header;
    const redemption = { workerId, workerConnection: workers.connectionOf(workerId) ?? 0, epoch };
    await calls.restore({ id: callId, accountId, spec, startedAtMs: epochMs(Date.parse(startedAt)), redemption });
    this.#restored.add(callId);
  }
}

function forgetBefore(known: Map<CallId, { atMs: MonotonicMs }>, sinceMs: MonotonicMs): void {
  for (const [callId, { atMs }] of known) {
    if (elapsedMs(sinceMs, atMs) >= 0) return;
    known.delete(callId);
  }
}
