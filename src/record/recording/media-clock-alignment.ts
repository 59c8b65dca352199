import { addMs, type CallMs, callMs, elapsedMs, type MediaMs, mediaMs, millisecondsOf } from "../../core/clocks.ts";
import { FRAME_MS } from "../../core/limits/streams/media.ts";

/** A difference between two frames below this is network jitter. */
const JUMP_MS_MIN = 100;
/**
 * Without media time every pause is such a difference, however short. Jitter that looks like one is found out by the
 * frames after it, which catch up.
 */
const PAUSE_MS_MIN = 25;
/**
 * Clocks drift, and pauses may be shorter than a jump. After this long the two clocks are compared again in any case.
 */
const SPAN_MS_MAX = 1_000;
/**
 * By then all frames that a stall delayed have arrived. The look-ahead is limited because a peer's clock may run a
 * little faster.
 */
const LOOK_AHEAD_MS_MAX = 30_000;
/** Frames that are misplaced by less than this follow each other without a gap. */
const OFFSET_TOLERANCE_MS = 20;

/** Consecutive frames over which the two clocks kept in step. */
interface Span {
  /** The arrival of the first frame. */
  startedMs: CallMs;
  /** Call time minus media time, by the frame that was delayed least. */
  offsetMs: number;
  /** The number of earlier jumps of media time that arrivals do not confirm. */
  jumpCount: number;
}

/**
 * Finds the position of the caller's frames in the call.
 *
 * A frame arrives when it has been spoken to its end, or later. The frames that the network delayed least therefore
 * give the offset between media time and call time, and media time then places all other frames, whenever they arrived.
 * Where the two clocks diverge between two frames, later frames give the cause: after a network stall the frames catch
 * up, and there was no pause; after a pause that media time does not show they do not. A jump of media time moves no
 * earlier frame.
 *
 * For a peer without media time, frames are counted instead, because the framer's view of its pauses is only an
 * estimate.
 *
 * Takes all frames twice, each time in order of arrival: first `observe`, then `startMs`.
 */
export class MediaClockAlignment {
  readonly #spans: Span[] = [];
  readonly #observed: FrameScan;
  readonly #placed: FrameScan;
  /** The span that is being placed, and its offset. */
  #span = -1;
  #offsetMs = Number.NaN;
  /** The spans from the current one to `#lookedAheadTo` whose offset is below that of all later ones, in order. */
  readonly #lowestOffsets: number[] = [];
  #lookedAheadTo = 0;

  /** `hasMediaTime` is false for a peer that sends no media time. */
  constructor(hasMediaTime: boolean) {
    this.#observed = new FrameScan(hasMediaTime);
    this.#placed = new FrameScan(hasMediaTime);
  }

  observe(arrivalMs: CallMs, mediaMs: MediaMs): void {
    const frames = this.#observed;
    frames.next(arrivalMs, mediaMs);
    const span = this.#spans[frames.span];
    if (span === undefined) {
      this.#spans.push({ startedMs: arrivalMs, offsetMs: frames.offsetMs, jumpCount: frames.jumpCount });
    } else {
      span.offsetMs = Math.min(span.offsetMs, frames.offsetMs);
    }
  }

  /**
   * When the frame began, in ms of call time; negative when it was spoken before the call. NaN for a frame that was
   * never observed.
   */
  startMs(arrivalMs: CallMs, mediaMs: MediaMs): CallMs {
    const frames = this.#placed;
    frames.next(arrivalMs, mediaMs);
    if (frames.span !== this.#span) this.#enter(frames.span);
    return callMs(millisecondsOf(frames.timestampMs) + this.#offsetMs);
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

  /** The lowest offset from `span` on, within the look-ahead. */
  #lowestOffsetMs(index: number, span: Span): number {
    const least = this.#lowestOffsets;
    for (; this.#lookedAheadTo < this.#spans.length; this.#lookedAheadTo += 1) {
      const next = this.#spans[this.#lookedAheadTo] as Span;
      if (next.jumpCount !== span.jumpCount || next.startedMs > addMs(span.startedMs, LOOK_AHEAD_MS_MAX)) break;
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

/** One pass over the frames: gives each frame's media time and its span. */
class FrameScan {
  readonly #hasMediaTime: boolean;
  readonly #pauseMsMin: number;
  #count = 0;
  #spanStartedMs = callMs(Number.NaN);
  span = -1;
  jumpCount = 0;
  timestampMs = mediaMs(0);
  /** Call time minus media time if the frame was not delayed. */
  offsetMs = Number.NaN;

  constructor(hasMediaTime: boolean) {
    this.#hasMediaTime = hasMediaTime;
    this.#pauseMsMin = hasMediaTime ? JUMP_MS_MIN : PAUSE_MS_MIN;
  }

  next(arrivalMs: CallMs, carrierMs: MediaMs): void {
    this.timestampMs = this.#hasMediaTime ? carrierMs : mediaMs(this.#count * FRAME_MS);
    this.#count += 1;
    const offsetMs = millisecondsOf(arrivalMs) - FRAME_MS - millisecondsOf(this.timestampMs);
    const offsetChangeMs = offsetMs - this.offsetMs;
    this.offsetMs = offsetMs;
    if (offsetChangeMs <= -JUMP_MS_MIN) this.jumpCount += 1;
    const isSteady = offsetChangeMs > -JUMP_MS_MIN && offsetChangeMs < this.#pauseMsMin;
    // The first frame has no predecessor to compare with.
    if (isSteady && elapsedMs(this.#spanStartedMs, arrivalMs) < SPAN_MS_MAX) return;
    this.span += 1;
    this.#spanStartedMs = arrivalMs;
  }
}
