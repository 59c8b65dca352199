import { FRAME_MS } from "../../core/limits/media.ts";

/** From one frame to the next, a smaller difference than this is the network's doing. */
const JUMP_MS_MIN = 100;
/** Clocks run apart, and pauses may be shorter than a leap: after this long the two are compared anew in any case. */
const SPAN_MS_MAX = 1_000;
/** What a stall held up has come by then. Looked ahead for no longer, since a peer's clock may be a little faster than ours. */
const LOOK_AHEAD_MS_MAX = 30_000;
/** As long as frames are out of place by less than this they follow each other without a seam. */
const OFFSET_TOLERANCE_MS = 20;

/** Frames that came one behind the other, over which the two clocks kept together. */
interface Span {
  /** When the first of them came. */
  startedMs: number;
  /** What media time lacks to be call time, by the frame that was delayed least. */
  offsetMs: number;
  /** Counts the jumps of media time in front of it, which arrivals do not bear out. */
  jumpCount: number;
}

/**
 * Finds where the caller's frames belong in the call.
 *
 * A frame arrives once it has been spoken to its end, or later. So the frames that the network delayed least tell how media time
 * and call time stand to each other, and by media time all others are placed, whenever they came. Where the two part from one
 * frame to the next, what comes later tells why: behind a stall of the network the frames catch up, and there never was a pause;
 * behind a pause that media time does not tell of they do not. A jump of media time moves nothing that came before it.
 *
 * Of a peer that gives no media time, frames are counted instead: what our own framer made of its pauses was a guess.
 *
 * Takes all frames twice, each time in the order they came: first `observe`, then `startMs`.
 */
export class MediaClockAlignment {
  readonly #spans: Span[] = [];
  readonly #observed: FrameScan;
  readonly #placed: FrameScan;
  /** The span that is being placed, and by what. */
  #span = -1;
  #offsetMs = Number.NaN;
  /** Of the spans from the one that is being placed to `#lookedAt`, those with a lower offset than all behind them, in order. */
  readonly #lowestOffsets: number[] = [];
  #lookedAheadTo = 0;

  /** `hasMediaTime` is false of a peer that gives none. */
  constructor(hasMediaTime: boolean) {
    this.#observed = new FrameScan(hasMediaTime);
    this.#placed = new FrameScan(hasMediaTime);
  }

  observe(arrivalMs: number, mediaMs: number): void {
    const frames = this.#observed;
    frames.next(arrivalMs, mediaMs);
    const span = this.#spans[frames.span];
    if (span === undefined) {
      this.#spans.push({ startedMs: arrivalMs, offsetMs: frames.offsetMs, jumpCount: frames.jumpCount });
    } else {
      span.offsetMs = Math.min(span.offsetMs, frames.offsetMs);
    }
  }

  /** When the frame began, in ms of call time; before the call when it was spoken before. NaN for a frame never observed. */
  startMs(arrivalMs: number, mediaMs: number): number {
    const frames = this.#placed;
    frames.next(arrivalMs, mediaMs);
    if (frames.span !== this.#span) this.#enter(frames.span);
    return frames.mediaMs + this.#offsetMs;
  }

  #enter(index: number): void {
    const before = this.#spans[this.#span];
    const span = this.#spans[index];
    this.#span = index;
    if (span === undefined) {
      this.#offsetMs = Number.NaN;
      return;
    }
    const offsetMs = this.#lowestOffsetMs(index, span);
    const staysInPlace =
      span.jumpCount === before?.jumpCount && Math.abs(offsetMs - this.#offsetMs) < OFFSET_TOLERANCE_MS;
    if (!staysInPlace) this.#offsetMs = offsetMs;
  }

  /** The least offset from `span` on, as far as may be looked ahead. */
  #lowestOffsetMs(index: number, span: Span): number {
    const least = this.#lowestOffsets;
    for (; this.#lookedAheadTo < this.#spans.length; this.#lookedAheadTo += 1) {
      const next = this.#spans[this.#lookedAheadTo] as Span;
      if (next.jumpCount !== span.jumpCount || next.startedMs > span.startedMs + LOOK_AHEAD_MS_MAX) break;
      while (this.#offsetOf(least.at(-1)) >= next.offsetMs) least.pop();
      least.push(this.#lookedAheadTo);
    }
    while ((least[0] ?? index) < index) least.shift();
    return this.#offsetOf(least[0]);
  }

  #offsetOf(index: number | undefined): number {
    return this.#spans[index ?? -1]?.offsetMs ?? Number.NaN;
  }
}

/** One passage over the frames: tells of each its media time, and the span that it belongs to. */
class FrameScan {
  readonly #hasMediaTime: boolean;
  #count = 0;
  #spanStartedMs = Number.NaN;
  span = -1;
  jumpCount = 0;
  mediaMs = 0;
  /** What media time lacks to be call time, if the frame was not delayed. */
  offsetMs = Number.NaN;

  constructor(hasMediaTime: boolean) {
    this.#hasMediaTime = hasMediaTime;
  }

  next(arrivalMs: number, mediaMs: number): void {
    this.mediaMs = this.#hasMediaTime ? mediaMs : this.#count * FRAME_MS;
    this.#count += 1;
    const offsetMs = arrivalMs - FRAME_MS - this.mediaMs;
    const partedMs = offsetMs - this.offsetMs;
    this.offsetMs = offsetMs;
    if (partedMs <= -JUMP_MS_MIN) this.jumpCount += 1;
    // The first frame of all has nothing to be compared with.
    if (Math.abs(partedMs) < JUMP_MS_MIN && arrivalMs - this.#spanStartedMs < SPAN_MS_MAX) return;
    this.span += 1;
    this.#spanStartedMs = arrivalMs;
  }
}
