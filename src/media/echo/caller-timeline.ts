import { type CallMs, type MediaMs, millisecondsOf } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";
import { ECHO_SAMPLES_PER_MS } from "./band-levels.ts";

/** For this many frames the least held-up one is looked for: 5 s. */
const WINDOW_FRAMES = 250;
/** The media clock lags by this much when it is moved, ms; less is jitter. */
const LAG_MS = 5;
/**
 * A frame that is late by this was held up, or the caller's audio stopped for a while and its media time with it. When all
 * frames within STOPPED_MS are, it stopped: those that were held up arrive at once.
 */
const STOPPED_LAG_MS = 40;
const STOPPED_MS = 60;
/** Frames that follow each other differ from FRAME_MS by less than this, ms. */
const ROUNDING_MS = 1;

/**
 * Places the caller's frames on the clock of the call. Frames arrive unevenly, so they are placed by media time, and
 * the clock of media time by those frames that were held up least. Positions are samples at ECHO_RATE_HZ.
 */
export class CallerTimeline {
  /** What must be added to media time to get call time, ms; NaN before the first frame. */
  #offsetMs = Number.NaN;
  #lastMediaMs = Number.NaN;
  /** How much later than by `#offsetMs` the frames of this window came at least, ms. */
  #leastLagMs = Number.POSITIVE_INFINITY;
  #windowFrames = 0;
  /** Since when all frames have been late by STOPPED_LAG_MS, and by how much at least; NaN when the last one was not. */
  #lateSinceMs = Number.NaN;
  #leastLateMs = Number.POSITIVE_INFINITY;
  /** By how much the media clock was moved because audio had stopped. If it had not, it moves back by that. */
  #stoppedMs = 0;
  /** The position after the last frame. */
  end = 0;
  /** By how much positions moved with the last frame against earlier ones. */
  shiftSamples = 0;
  /** The last frame does not continue the one before it. */
  isGap = true;

  /** Takes a frame that arrived at `nowMs`. */
  frame(mediaTimeMs: MediaMs, nowMs: CallMs): void {
    const mediaMs = millisecondsOf(mediaTimeMs);
    this.isGap = !(Math.abs(mediaMs - this.#lastMediaMs - FRAME_MS) < ROUNDING_MS);
    this.#lastMediaMs = mediaMs;
    const arrivedMs = millisecondsOf(nowMs) - FRAME_MS;
    this.shiftSamples = 0;
    const lagMs = arrivedMs - mediaMs - this.#offsetMs;
    if (!(lagMs >= 0)) this.#move(this.isGap, lagMs, arrivedMs - mediaMs);
    else if (!this.#hasStopped(lagMs, arrivedMs)) this.#observeLag(lagMs);
    this.end = Math.round((mediaMs + FRAME_MS + this.#offsetMs) * ECHO_SAMPLES_PER_MS);
  }

  /** After a gap, media time itself may have jumped; then the audio's delay is the same as before. */
  #move(isJump: boolean, byMs: number, offsetMs: number): void {
    this.#offsetMs = offsetMs;
    const undoneMs = byMs < 0 ? Math.min(this.#stoppedMs, -byMs) : 0;
    this.#stoppedMs -= undoneMs;
    if (!isJump) this.shiftSamples = Math.round((byMs + undoneMs) * ECHO_SAMPLES_PER_MS);
    this.#restartWindow();
  }

  /** Whether the caller's audio had stopped, and media time with it; then the audio's delay is the same as before. */
  #hasStopped(lagMs: number, arrivedMs: number): boolean {
    if (lagMs < STOPPED_LAG_MS) {
      this.#lateSinceMs = Number.NaN;
      return false;
    }
    if (Number.isNaN(this.#lateSinceMs)) {
      this.#lateSinceMs = arrivedMs;
      this.#leastLateMs = lagMs;
    }
    if (lagMs < this.#leastLateMs) this.#leastLateMs = lagMs;
    if (arrivedMs - this.#lateSinceMs < STOPPED_MS) return false;
    this.#stoppedMs += this.#leastLateMs;
    this.#move(true, this.#leastLateMs, this.#offsetMs + this.#leastLateMs);
    return true;
  }

  #observeLag(lagMs: number): void {
    if (lagMs < this.#leastLagMs) this.#leastLagMs = lagMs;
    this.#windowFrames += 1;
    if (this.#windowFrames < WINDOW_FRAMES) return;
    if (this.#leastLagMs > LAG_MS) this.#move(false, this.#leastLagMs, this.#offsetMs + this.#leastLagMs);
    else this.#restartWindow();
  }

  #restartWindow(): void {
    this.#lateSinceMs = Number.NaN;
    this.#windowFrames = 0;
    this.#leastLagMs = Number.POSITIVE_INFINITY;
  }
}
