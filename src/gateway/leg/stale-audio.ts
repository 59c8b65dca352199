import { type CallMs, callMs, elapsedMs, type MediaMs, millisecondsOf } from "../../core/clocks.ts";
import { BACKLOG_DRAIN_MS_MAX, BACKLOG_MS_MAX, INBOUND_STALL_MS_MAX } from "../../core/limits/streams/caller-audio.ts";

/**
 * Detects audio that was held up for too long to be of use, on wires whose timestamps follow the wall clock. After a
 * stall such a carrier sends everything it has buffered. The newest INBOUND_STALL_MS_MAX of that is used, as on any
 * wire; older audio is dropped, because it would end the call as a flood. Times are ms.
 *
 * The audio with the smallest delay shows the offset between the carrier's clock and ours. Clocks are set: a delay
 * longer than any carrier buffers, or one that lasts longer than a backlog can, is a new offset.
 */
export class StaleAudioDetector {
  /** The smallest difference seen between call time and the carrier's clock. */
  #offsetMs = Number.POSITIVE_INFINITY;
  /** Since when all audio has been stale; NaN while it is not. */
  #staleSinceMs = callMs(Number.NaN);

  /** Whether audio with this timestamp, received at `nowMs`, is stale. Audio without a timestamp never is. */
  isStale(timestampMs: MediaMs, nowMs: CallMs): boolean {
    if (!Number.isFinite(timestampMs)) return false;
    const offsetMs = millisecondsOf(nowMs) - millisecondsOf(timestampMs);
    this.#offsetMs = Math.min(this.#offsetMs, offsetMs);
    const heldUpMs = offsetMs - this.#offsetMs;
    if (heldUpMs <= INBOUND_STALL_MS_MAX) {
      this.#staleSinceMs = callMs(Number.NaN);
      return false;
    }
    if (Number.isNaN(this.#staleSinceMs)) this.#staleSinceMs = nowMs;
    if (heldUpMs <= BACKLOG_MS_MAX && elapsedMs(this.#staleSinceMs, nowMs) < BACKLOG_DRAIN_MS_MAX) return true;
    this.#offsetMs = offsetMs;
    this.#staleSinceMs = callMs(Number.NaN);
    return false;
  }
}
