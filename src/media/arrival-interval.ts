import { FRAME_MS } from "../core/limits/media.ts";
import { STREAM_MESSAGE_MS_MAX } from "../core/limits/messages.ts";

/** What is left of a long interval with each message that comes sooner. */
const DECAY = 0.98;

/**
 * In what intervals audio comes, learned from its coming: some peers send every 20 ms, some a second at once. What has not come
 * yet is only missing once it is later than usual. Times are on the clock of the caller; allocates nothing.
 */
export class ArrivalInterval {
  #intervalMs = FRAME_MS;
  #lastMs = Number.NaN;
  /** Audio that came at `#lastMs`. */
  #batchMs = 0;

  /** A frame came at `nowMs`, right behind the one before it on the media timeline, or after a gap there, which tells nothing. */
  frame(contiguous: boolean, nowMs: number): void {
    const sinceMs = nowMs - this.#lastMs;
    this.#lastMs = nowMs;
    if (sinceMs === 0) {
      // As long as what came at once is, the next of it will be under way: the very first message tells.
      this.#batchMs += FRAME_MS;
      this.#lengthen(this.#batchMs);
      return;
    }
    this.#batchMs = FRAME_MS;
    if (!contiguous || Number.isNaN(sinceMs)) return;
    this.#intervalMs = Math.max(FRAME_MS, this.#intervalMs * DECAY);
    this.#lengthen(sinceMs);
  }

  #lengthen(intervalMs: number): void {
    this.#intervalMs = Math.min(STREAM_MESSAGE_MS_MAX, Math.max(this.#intervalMs, intervalMs));
  }

  /** How much longer than a peer that sends every frame by itself this one keeps us waiting, ms. */
  get slackMs(): number {
    return this.#intervalMs - FRAME_MS;
  }
}
