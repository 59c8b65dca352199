import { type CallMs, callMs, elapsedMs } from "../core/clocks.ts";
import { FRAME_MS } from "../core/limits/streams/media.ts";
import { STREAM_MESSAGE_MS_MAX } from "../core/limits/streams/messages.ts";

/** The share of a long interval that remains after each message that arrives sooner. */
const DECAY = 0.98;

/**
 * Learns the intervals in which audio arrives: some peers send every 20 ms, some send a second at once. Audio counts as
 * missing only when it is later than usual. Times are on the caller's clock. Allocates nothing.
 */
export class ArrivalInterval {
  #intervalMs = FRAME_MS;
  #lastMs = callMs(Number.NaN);
  /** Audio that arrived at `#lastMs`. */
  #batchMs = 0;

  /**
   * A frame arrived at `nowMs`. `contiguous`: it directly follows the previous one on the media timeline; a gap says
   * nothing.
   */
  frame(contiguous: boolean, nowMs: CallMs): void {
    const sinceMs = elapsedMs(this.#lastMs, nowMs);
    this.#lastMs = nowMs;
    if (sinceMs === 0) {
      // A batch is followed by the next one after as long as it lasts: the first message already shows the interval.
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

  /** How much longer this peer's intervals are than those of a peer that sends every frame by itself, ms. */
  get slackMs(): number {
    return this.#intervalMs - FRAME_MS;
  }
}
