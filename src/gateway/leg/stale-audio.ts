import { BACKLOG_DRAIN_MS_MAX, BACKLOG_MS_MAX, INBOUND_STALL_MS_MAX } from "../../core/limits/caller-audio.ts";

/**
 * Tells audio that was held up for too long to be of use, on wires whose timestamps go by the clock on the wall. After a stall
 * such a carrier sends all that it has kept. Of that the newest INGEST_STALL_MS_MAX are made up for, as on any wire; what is
 * older is dropped, where it would end the call as a flood. Times are ms.
 *
 * The audio that was least under way tells how the carrier's clock and ours stand to each other. Clocks are set: a delay of more
 * than any carrier keeps is none, and neither is one that is still there when every backlog must have come.
 */
export class StaleAudioDetector {
  /** What call time is ahead of the carrier's, by the audio that came fastest. */
  #offsetMs = Number.POSITIVE_INFINITY;
  /** Since when everything that comes has been stale; NaN while it is not. */
  #staleSinceMs = Number.NaN;

  /** Whether audio with this timestamp, which came at `nowMs`, is too old. Without a timestamp it never is. */
  isStale(timestampMs: number, nowMs: number): boolean {
    if (!Number.isFinite(timestampMs)) return false;
    const offsetMs = nowMs - timestampMs;
    this.#offsetMs = Math.min(this.#offsetMs, offsetMs);
    const heldUpMs = offsetMs - this.#offsetMs;
    if (heldUpMs <= INBOUND_STALL_MS_MAX) {
      this.#staleSinceMs = Number.NaN;
      return false;
    }
    if (Number.isNaN(this.#staleSinceMs)) this.#staleSinceMs = nowMs;
    if (heldUpMs <= BACKLOG_MS_MAX && nowMs - this.#staleSinceMs < BACKLOG_DRAIN_MS_MAX) return true;
    this.#offsetMs = offsetMs;
    this.#staleSinceMs = Number.NaN;
    return false;
  }
}
