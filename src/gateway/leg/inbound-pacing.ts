import {
  INBOUND_AHEAD_MS_MAX,
  INBOUND_STALL_MS_MAX,
  STT_SILENCE_FRAMES,
  STT_STARVED_MS,
} from "../../core/limits/caller-audio.ts";
import { FRAME_MS } from "../../core/limits/media.ts";
import { ArrivalInterval } from "../../media/arrival-interval.ts";

/**
 * Watches how the caller's audio comes in: whether it runs ahead of real time, and whether the carrier sends none at all, as
 * some do in silence. Times are ms of call time.
 */
export class InboundPacing {
  /** How far the audio is ahead of real time; below 0 it is behind and may catch up. */
  #aheadMs: number;
  #lastFrameMs: number;
  #lastMediaMs = Number.NaN;
  #starved = false;
  readonly #arrivalInterval = new ArrivalInterval();

  /** The stream begins. Where the network held up its beginning, everything since redemption may come with it. */
  constructor(nowMs: number) {
    this.#aheadMs = -nowMs;
    this.#lastFrameMs = nowMs;
  }

  /** Takes one frame; returns how many frames of silence the ear must hear before it, for the gap in front of it. */
  frame(mediaMs: number, nowMs: number): number {
    this.#aheadMs = Math.max(-INBOUND_STALL_MS_MAX, this.#aheadMs - (nowMs - this.#lastFrameMs)) + FRAME_MS;
    const gapFrames = Number.isNaN(this.#lastMediaMs) ? 0 : Math.round((mediaMs - this.#lastMediaMs) / FRAME_MS) - 1;
    const silenceFrames = this.#starved ? 0 : Math.min(STT_SILENCE_FRAMES, Math.max(0, gapFrames));
    this.#arrivalInterval.frame(gapFrames <= 0, nowMs);
    this.#lastFrameMs = nowMs;
    this.#lastMediaMs = mediaMs;
    this.#starved = false;
    return silenceFrames;
  }

  /** More audio came than the call has had time for. */
  get flooded(): boolean {
    return this.#aheadMs > INBOUND_AHEAD_MS_MAX;
  }

  /** Frames of silence that the ear must hear now because the carrier sends nothing; said once for each pause. */
  silenceFramesDue(nowMs: number): number {
    if (this.#starved || nowMs - this.#lastFrameMs < STT_STARVED_MS + this.#arrivalInterval.slackMs) return 0;
    this.#starved = true;
    return STT_SILENCE_FRAMES;
  }
}
