import { FRAME_MS } from "../core/limits.ts";

/** From one frame to the next, a smaller difference than this is the network's doing. */
const PARTED_MS = 1_000;

/**
 * Finds where the caller's frames belong in the call.
 *
 * A frame arrives once it has been spoken to its end, or later. So the frames that the network delayed least tell how the
 * carrier's media time and call time stand to each other, and by media time all others are placed, whenever they came. Where the
 * two clocks part by a second or more between two frames (a pause that the carrier's timestamps do not tell of, or a jump of
 * theirs that never was), they are compared anew from there on.
 *
 * Takes all frames twice, each time in the order they came: first `observe`, then `startMs`.
 */
export class CallerClock {
  /** For each stretch over which the clocks keep together: what media time lacks to be call time. */
  readonly #offsetsMs: number[] = [];
  readonly #observed = new Stretches();
  readonly #placed = new Stretches();

  observe(arrivalMs: number, mediaMs: number): void {
    const offsetMs = arrivalMs - FRAME_MS - mediaMs;
    const stretch = this.#observed.next(offsetMs);
    this.#offsetsMs[stretch] = Math.min(this.#offsetsMs[stretch] ?? offsetMs, offsetMs);
  }

  /** When the frame began, in ms of call time; before the call when it was spoken before. NaN for a frame never observed. */
  startMs(arrivalMs: number, mediaMs: number): number {
    const stretch = this.#placed.next(arrivalMs - FRAME_MS - mediaMs);
    return mediaMs + (this.#offsetsMs[stretch] ?? Number.NaN);
  }
}

/** Numbers the stretches over which the difference of two clocks does not leap. */
class Stretches {
  #current = 0;
  #offsetMs = Number.NaN;

  next(offsetMs: number): number {
    if (Math.abs(offsetMs - this.#offsetMs) >= PARTED_MS) this.#current += 1;
    this.#offsetMs = offsetMs;
    return this.#current;
  }
}
