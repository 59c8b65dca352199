import type { Holds } from "../../../cluster/node-holds.ts";
import type { EpochMs } from "../../../core/clocks.ts";
import type { CallId, WorkerId } from "../../../core/ids.ts";
import type { HoldReport } from "../../../store/call-handoff.ts";

/**
 * Which callers are on hold, as their workers report it. Nothing of it is stored: a hold is no longer than its call's worker lives, and
 * workers report all holds again when they connect.
 */
export class LiveHolds implements Holds {
  readonly #holds = new Map<CallId, { workerId: WorkerId; sinceMs: EpochMs }>();

  /** Since when the caller is on hold; undefined for one who is not. */
  sinceMs(callId: CallId): EpochMs | undefined {
    return this.#holds.get(callId)?.sinceMs;
  }

  get all(): readonly { callId: CallId; sinceMs: EpochMs }[] {
    return [...this.#holds].map(([callId, { sinceMs }]) => ({ callId, sinceMs }));
  }

  reported(workerId: WorkerId, { callId, sinceMs }: HoldReport): void {
    if (sinceMs === undefined) this.#holds.delete(callId);
    else this.#holds.set(callId, { workerId, sinceMs });
  }

  ended(callId: CallId): void {
    this.#holds.delete(callId);
  }

  /** Nothing is known of its calls until it connects again. */
  workerDisconnected(workerId: WorkerId): void {
    for (const [callId, hold] of this.#holds) if (hold.workerId === workerId) this.#holds.delete(callId);
  }
}
