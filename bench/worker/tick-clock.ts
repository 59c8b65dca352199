import { type Clock, systemClock } from "../../src/core/clock.ts";
import type { EpochMs, MonotonicMs } from "../../src/core/clocks.ts";
import { FRAME_MS, TICK_SLOTS } from "../../src/core/limits/streams/media.ts";
import type { FrameTimesData } from "../measurement/frame-times.ts";
import { machineMonotonicMs } from "../rig/monotonic.ts";

const SLOT_MS = FRAME_MS / TICK_SLOTS;
/** Far above the error of two readings of the clock, far below a slot. */
const TOLERANCE_MS = 0.1;

/** The system's clock, which knows what the ticker waits for: its dues are seen without touching it. */
export class TickClock implements Clock {
  #dueMs = Number.NaN;
  #isRunning = false;

  /**
   * What the ticker is due at that sends now, by `machineMonotonicMs`: from its timer, or, as `catchingUp` says, while
   * a message waits for it. NaN where no frame is due: speech that begins is sent at once, and was not due before.
   */
  dueMs(catchingUp: boolean): number {
    return this.#isRunning || catchingUp ? this.#dueMs : Number.NaN;
  }

  nowMs(): MonotonicMs {
    return systemClock.nowMs();
  }

  epochMs(): EpochMs {
    return systemClock.epochMs();
  }

  /** Under load only the ticker asks for it, and sets itself a new time at the end of each run. */
  after(delayMs: number, task: () => void): () => void {
    this.#dueMs = machineMonotonicMs() + delayMs;
    return systemClock.after(delayMs, () => {
      this.#isRunning = true;
      task();
      this.#isRunning = false;
    });
  }
}

/**
 * Makes the dues of the ticker's runs, in which frames were written, into the dues of the frames.
 *
 * A run that is late catches up with the slots after its own, so a frame of it may have been due later than the run was. A call
 * keeps its slot, so its frames are due 20 ms apart, and a frame that was written less than a slot after its run was due can only
 * be of the run's own slot: the call's most punctual frame tells when all the others were due.
 */
export function settleDues(dues: FrameTimesData, written: FrameTimesData): void {
  const { framesMax, counts, offsetsMs } = dues;
  for (const [call, count] of counts.entries()) {
    const from = call * framesMax;
    const to = from + Math.min(count, framesMax);
    let phaseMs = Number.NaN;
    for (let index = from, bestMs = SLOT_MS; index < to; index += 1) {
      const lateMs = (written.offsetsMs[index] as number) - (offsetsMs[index] as number);
      if (lateMs >= bestMs) continue;
      bestMs = lateMs;
      phaseMs = offsetsMs[index] as number;
    }
    for (let index = from; index < to; index += 1) {
      const laterMs = modulo(phaseMs - (offsetsMs[index] as number), FRAME_MS);
      if (laterMs < FRAME_MS - TOLERANCE_MS) offsetsMs[index] = (offsetsMs[index] as number) + laterMs;
    }
  }
}

const modulo = (value: number, by: number): number => ((value % by) + by) % by;
