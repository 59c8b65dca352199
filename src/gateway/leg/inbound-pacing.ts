import { type CallMs, elapsedMs, type MediaMs, mediaMs } from "../../core/clocks.ts";
import {
  INBOUND_AHEAD_MS_MAX,
  INBOUND_STALL_MS_MAX,
  STT_SILENCE_FRAMES,
  STT_STARVED_MS,
} from "../../core/limits/streams/caller-audio.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { ArrivalInterval } from "../../media/arrival-interval.ts";

/**
 * Inbound pacing of one leg: detects audio that runs ahead of real time, and a carrier that sends no audio, as some do
 * in silence. Times are call time, ms.
 */
export class InboundPacing {
  /** How far the audio is ahead of real time; below 0 it is late and may catch up. */
  #aheadMs: number;
  #lastFrameMs: CallMs;
  #lastMediaMs = mediaMs(Number.NaN);
  #starved = false;
  /** The peer sent nothing before the next frame: the interval is none between messages. */
  #isPause = false;
  readonly #starvedMs: number;
  readonly #arrivalInterval = new ArrivalInterval();

  /**
   * The stream starts. If the network delayed it, all audio since `openedMs` may arrive with it. `starvedMs`: a frame that is later
   * than usual by this was not sent.
   */
  constructor(openedMs: CallMs, nowMs: CallMs, starvedMs: number = STT_STARVED_MS) {
    this.#aheadMs = -elapsedMs(openedMs, nowMs);
    this.#lastFrameMs = nowMs;
    this.#starvedMs = starvedMs;
  }

  /** Takes one frame; returns how many frames of silence the STT must get before it, for the gap that precedes it. */
  frame(mediaMs: MediaMs, nowMs: CallMs): number {
    this.#aheadMs = Math.max(-INBOUND_STALL_MS_MAX, this.#aheadMs - elapsedMs(this.#lastFrameMs, nowMs)) + FRAME_MS;
    const gapFrames = Number.isNaN(this.#lastMediaMs)
      ? 0
      : Math.round(elapsedMs(this.#lastMediaMs, mediaMs) / FRAME_MS) - 1;
    const silenceFrames = this.#starved ? 0 : Math.min(STT_SILENCE_FRAMES, Math.max(0, gapFrames));
    this.#arrivalInterval.frame(gapFrames <= 0 && !this.#isPause, nowMs);
    this.#lastFrameMs = nowMs;
    this.#lastMediaMs = mediaMs;
    this.#starved = false;
    this.#isPause = false;
    return silenceFrames;
  }

  /** Takes a frame of silence that the peer did not send, and that the STT has got. */
  unsentFrame(mediaMs: MediaMs): void {
    this.#lastMediaMs = mediaMs;
    this.#starved = true;
    this.#isPause = true;
  }

  /** How much longer this peer's intervals between messages are than a frame, ms. */
  get slackMs(): number {
    return this.#arrivalInterval.slackMs;
  }

  /** More audio arrived than real time allows. */
  get flooded(): boolean {
    return this.#aheadMs > INBOUND_AHEAD_MS_MAX;
  }

  /** Frames of silence that the STT must get now because the carrier sends nothing; reported once for each pause. */
  silenceFramesDue(nowMs: CallMs): number {
    if (this.#starved || elapsedMs(this.#lastFrameMs, nowMs) < this.#starvedMs + this.#arrivalInterval.slackMs)
      return 0;
    this.#starved = true;
    return STT_SILENCE_FRAMES;
  }
}
