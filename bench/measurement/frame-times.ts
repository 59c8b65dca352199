import { FRAME_MS } from "../../src/core/limits/streams/media.ts";

/** As it travels between processes. */
export interface FrameTimesData {
  baseMs: number;
  framesMax: number;
  /** Frames of each call, also of those past `framesMax`. */
  counts: Uint32Array;
  /** Call by call, `framesMax` each. */
  offsetsMs: Float32Array;
}

/**
 * When each frame of each call passed one point, by `machineMonotonicMs`. Frame n of a call is stored as its offset
 * from base + n * FRAME_MS, which stays small: that is what four bytes a frame can hold to less than a microsecond.
 *
 * `stamp` allocates nothing. Frames past `framesMax` are counted and their times dropped.
 */
export class FrameTimes {
  readonly data: FrameTimesData;

  constructor({ calls, framesMax, baseMs }: { calls: number; framesMax: number; baseMs: number }) {
    const offsetsMs = new Float32Array(calls * framesMax).fill(Number.NaN);
    this.data = { baseMs, framesMax, counts: new Uint32Array(calls), offsetsMs };
  }

  stamp(call: number, atMs: number): void {
    const { baseMs, framesMax, counts, offsetsMs } = this.data;
    const frame = counts[call] as number;
    counts[call] = frame + 1;
    if (frame < framesMax) offsetsMs[call * framesMax + frame] = atMs - baseMs - frame * FRAME_MS;
  }
}
