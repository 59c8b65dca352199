import { FRAME_MS } from "../../src/core/limits/streams/media.ts";
import { median } from "../harness/statistics.ts";
import type { FrameTimesData } from "./frame-times.ts";

/** A stretch of time, by `machineMonotonicMs`. */
export interface Window {
  fromMs: number;
  toMs: number;
}

/** How long every frame took that passed `from` within the window, from there to `to`, ms. Frames that never arrived are left out. */
export function transitMs(from: FrameTimesData, to: FrameTimesData, window: Window): Float32Array {
  const values: number[] = [];
  forEachFrame(from, window, (behindMs, index) => {
    const tookMs = (to.offsetsMs[index] as number) - behindMs;
    if (!Number.isNaN(tookMs)) values.push(tookMs);
  });
  return Float32Array.from(values);
}

/** How far each frame of a call was from the call's own grid of 20 ms, which goes through its middle frame, ms, either way. */
export function offGridMs(times: FrameTimesData, window: Window): Float32Array {
  const gridMs = medianOffsets(times, window);
  const values: number[] = [];
  forEachFrame(times, window, (offsetMs, _index, call) => values.push(Math.abs(offsetMs - (gridMs[call] as number))));
  return Float32Array.from(values);
}

/** How late every frame passed; frame n of a call is due n frames after the call's start, ms. */
export function latenessMs(times: FrameTimesData, startsMs: Float64Array, window: Window): Float32Array {
  const values: number[] = [];
  forEachFrame(times, window, (offsetMs, _index, call) => {
    values.push(times.baseMs + offsetMs - (startsMs[call] as number));
  });
  return Float32Array.from(values);
}

/**
 * How much later than their number says frames were due at the end than at the beginning, ms: of all calls the one that moved
 * furthest, either way. The middle frames of the first and of the last fifth of the window are compared, so that what a stall held
 * up and was made up for does not count.
 */
export function driftMs(dues: FrameTimesData, { fromMs, toMs }: Window): number {
  const fifthMs = (toMs - fromMs) / 5;
  const first = medianOffsets(dues, { fromMs, toMs: fromMs + fifthMs });
  const last = medianOffsets(dues, { fromMs: toMs - fifthMs, toMs });
  const moved = first.map((firstMs, call) => (last[call] as number) - firstMs).filter(Number.isFinite);
  return moved.reduce((furthest, driftMs) => (Math.abs(driftMs) > Math.abs(furthest) ? driftMs : furthest), 0);
}

/**
 * Plays one call's frames: each takes 20 ms and is played when it comes, or when the one before it is over, whichever is later.
 * Visits them as they come, by `machineMonotonicMs`: when that was, when what had come before was over (NaN for the
 * first frame), and what lies ahead of playout from then on, ms.
 */
export function play(
  { baseMs, framesMax, counts, offsetsMs }: FrameTimesData,
  call: number,
  visit: (atMs: number, playedToMs: number, aheadMs: number) => void,
): void {
  let playedToMs = Number.NaN;
  for (let frame = 0; frame < Math.min(counts[call] as number, framesMax); frame += 1) {
    const atMs = baseMs + frame * FRAME_MS + (offsetsMs[call * framesMax + frame] as number);
    const endMs = (playedToMs > atMs ? playedToMs : atMs) + FRAME_MS;
    visit(atMs, playedToMs, endMs - atMs);
    playedToMs = endMs;
  }
}

/** What callers heard nothing of though the agent spoke, where it ended within the window, all calls together. */
export function gapsOf(times: FrameTimesData, { fromMs, toMs }: Window): { count: number; longestMs: number } {
  let count = 0;
  let longestMs = 0;
  for (const call of times.counts.keys()) {
    play(times, call, (atMs, playedToMs) => {
      if (!(atMs > playedToMs) || atMs < fromMs || atMs >= toMs) return;
      count += 1;
      longestMs = Math.max(longestMs, atMs - playedToMs);
    });
  }
  return { count, longestMs };
}

/** The fewest and the most frames that one call had within the window. */
export function framesPerCall(times: FrameTimesData, window: Window): { fewest: number; most: number } {
  const frames = new Uint32Array(times.counts.length);
  forEachFrame(times, window, (_behindMs, _index, call) => {
    frames[call] = (frames[call] as number) + 1;
  });
  return { fewest: Math.min(...frames), most: Math.max(...frames) };
}

/** The lateness of each call's middle frame; NaN for a call without a frame within the window. */
function medianOffsets(times: FrameTimesData, window: Window): number[] {
  const offsetsMs: number[][] = Array.from(times.counts, () => []);
  forEachFrame(times, window, (offsetMs, _index, call) => (offsetsMs[call] as number[]).push(offsetMs));
  return offsetsMs.map(median);
}

function forEachFrame(
  { baseMs, framesMax, counts, offsetsMs }: FrameTimesData,
  { fromMs, toMs }: Window,
  visit: (behindMs: number, index: number, call: number) => void,
): void {
  for (const [call, count] of counts.entries()) {
    for (let frame = 0; frame < Math.min(count, framesMax); frame += 1) {
      const index = call * framesMax + frame;
      const atMs = baseMs + frame * FRAME_MS + (offsetsMs[index] as number);
      if (atMs >= fromMs && atMs < toMs) visit(offsetsMs[index] as number, index, call);
    }
  }
}
