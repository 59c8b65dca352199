import { strict as assert } from "node:assert";
import { addMs, type CallMs, callMs, earliest, elapsedMs, latest } from "../core/clocks.ts";
import { FRAME_MS } from "../core/limits/streams/media.ts";

/** The next tick, and that it may be late by a quarter of a frame: nearly the whole lead then covers a stall of its length. */
const TOP_UP_EARLY_MS = 1.25 * FRAME_MS;
/**
 * The first frame of a tick is due earlier than those that follow it. With one bound for all, a reply whose audio began at the wrong
 * time between two ticks would stand at the bound: ticks a little early or late would send none and two frames in turn, which the peer
 * takes for 20 ms of jitter.
 */
const FIRST_EARLY_MS = 2 * FRAME_MS;
/**
 * Audio may begin at any time between two ticks. The first tick after that goes by a bound between the other two, so that both are
 * far off from then on: a frame that is left out later is heard as 20 ms of jitter, at the beginning it is not.
 */
const SETTLING_EARLY_MS = 1.5 * FRAME_MS;

/**
 * Models playout at the peer, which plays without a pause whatever it has received.
 *
 * Pure arithmetic on `nowMs`, which must come from one monotonic clock. Transit time is unknown: the caller hears the
 * audio later by that much.
 */
export class PlaybackClock {
  readonly #rateHz: number;
  /** When the peer's buffer runs empty; in the past when it has been empty since. */
  #bufferedUntilMs = callMs(Number.NEGATIVE_INFINITY);
  #lastSentMs = callMs(Number.NEGATIVE_INFINITY);
  /** When the audio that is played without a pause began. */
  #beganMs = callMs(Number.NEGATIVE_INFINITY);

  constructor(rateHz: number) {
    assert.ok(rateHz > 0);
    this.#rateHz = rateHz;
  }

  /** `samples` were sent now. Returns when the peer plays the first of them, on the clock of `nowMs`. */
  sent(samples: number, nowMs: CallMs): CallMs {
    assert.ok(samples >= 0);
    const startsMs = latest(this.#bufferedUntilMs, nowMs);
    if (this.#bufferedUntilMs <= nowMs) this.#beganMs = nowMs;
    this.#lastSentMs = nowMs;
    this.#bufferedUntilMs = addMs(startsMs, (samples * 1_000) / this.#rateHz);
    return startsMs;
  }

  /** How much of the audio sent has not been played, ms; never negative. */
  unplayedMs(nowMs: CallMs): number {
    return Math.max(elapsedMs(nowMs, this.#bufferedUntilMs), 0);
  }

  /** Whether the next frame is due, so that the peer always has at least `leadMs` of audio ahead. */
  isFrameDue(nowMs: CallMs, leadMs: number): boolean {
    return elapsedMs(nowMs, this.#bufferedUntilMs) < leadMs + this.#earlyMs(nowMs);
  }

  #earlyMs(nowMs: CallMs): number {
    if (nowMs <= this.#lastSentMs) return TOP_UP_EARLY_MS;
    return elapsedMs(this.#beganMs, nowMs) < FRAME_MS ? SETTLING_EARLY_MS : FIRST_EARLY_MS;
  }

  /** Whether all audio sent has been played. */
  isDry(nowMs: CallMs): boolean {
    return this.#bufferedUntilMs <= nowMs;
  }

  /** The peer got the command to drop audio that it has not played. */
  flush(nowMs: CallMs): void {
    this.#bufferedUntilMs = earliest(this.#bufferedUntilMs, nowMs);
  }
}
