import type { Clock } from "../../core/clock.ts";
import { type AccountId, asCallId, type CallId, type TranscriptionId, type WorkerId } from "../../core/ids.ts";
import { LIVE_END_LOOKED_MS, LIVE_END_MS_MAX } from "../../core/limits/transcriptions/transcriptions.ts";
import type { CallRecord, CallStore } from "../../store/calls/call-store.ts";
import type { TranscriptionStore } from "../../store/transcription-store.ts";
import { ApiError } from "../http/errors.ts";

export interface LiveEndDeps {
  calls: Pick<CallStore, "cancel" | "remove">;
  transcriptions: Pick<TranscriptionStore, "onOver" | "get">;
  /** Asks a worker to end one of its calls; false when the worker is not connected. */
  endCall: (workerId: WorkerId, call: Pick<CallRecord, "id" | "accountId">) => Promise<boolean> | boolean;
  /** Removes the journal of a call that is over, if it exists. */
  removeFiles: (callId: CallId) => Promise<void>;
  clock: Clock;
}

/** Ends and removes live transcriptions, which are calls. */
export class LiveEnds {
  readonly #deps: LiveEndDeps;
  /** Who waits for the end of each. */
  readonly #waiting = new Map<TranscriptionId, Set<() => void>>();

  constructor(deps: LiveEndDeps) {
    this.#deps = deps;
    deps.transcriptions.onOver((id) => {
      for (const done of this.#waiting.get(id) ?? []) done();
    });
  }

  /**
   * Ends one that waits for its stream at once, and has the worker of another one end it; true where that was asked for. Throws ApiError
   * `unavailable` where the worker does not answer.
   */
  async end(accountId: AccountId, id: TranscriptionId): Promise<boolean> {
    const found = await this.#deps.calls.cancel(accountId, asCallId(id));
    if (found?.workerId === undefined) return false;
    if (await this.#deps.endCall(found.workerId, found.call)) return true;
    throw new ApiError("unavailable", "the worker of the transcription is not responding at present");
  }

  /** Ends it, and removes its call. Throws ApiError `conflict` where it is not over in time. */
  async remove(accountId: AccountId, id: TranscriptionId): Promise<void> {
    const { calls, removeFiles } = this.#deps;
    const over = this.#over(accountId, id);
    if (await this.end(accountId, id)) await over;
    const callId = asCallId(id);
    const latest = await calls.cancel(accountId, callId);
    if (latest === undefined) return;
    if (latest.call.endedAtMs === undefined) throw beingEnded();
    // The files first: after a failure between the two, the record still leads to the rest.
    await removeFiles(callId);
    if ((await calls.remove(accountId, callId)) === false) throw beingEnded();
  }

  /** Resolves when it is over, or has taken too long. The store alone knows the end of one at another node. */
  #over(accountId: AccountId, id: TranscriptionId): Promise<void> {
    const { clock, transcriptions } = this.#deps;
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(id) ?? new Set();
      let isDone = false;
      const look = async (): Promise<void> => {
        const latest = await transcriptions.get(accountId, id).catch(() => undefined);
        if (latest?.endedAtMs !== undefined) done();
        else if (!isDone) cancelLook = clock.after(LIVE_END_LOOKED_MS, () => void look());
      };
      let cancelLook = clock.after(LIVE_END_LOOKED_MS, () => void look());
      const done = (): void => {
        isDone = true;
        cancelLook();
        cancel();
        waiting.delete(done);
        if (waiting.size === 0) this.#waiting.delete(id);
        resolve();
      };
      const cancel = clock.after(LIVE_END_MS_MAX, done);
      waiting.add(done);
      this.#waiting.set(id, waiting);
    });
  }
}

const beingEnded = (): ApiError => new ApiError("conflict", "the transcription is being ended: try again");
