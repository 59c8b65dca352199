import type { Span } from "./types.ts";

/** The part of the call that the time line shows, ms. It is within the call, and never shorter than VIEW_MS_MIN. */
export interface View extends Span {}

/** The most that can be seen of a short time. */
const VIEW_MS_MIN = 500;

/** All of the call. */
export const wholeCall = (durationMs: number): View => ({ startMs: 0, endMs: Math.max(durationMs, VIEW_MS_MIN) });

export const lengthOf = ({ startMs, endMs }: Span): number => endMs - startMs;

/** The same length from `startMs` on, or as near to it as the call allows. */
export function viewFrom(view: View, startMs: number, durationMs: number): View {
  const lengthMs = Math.min(lengthOf(view), Math.max(durationMs, VIEW_MS_MIN));
  const latestMs = Math.max(0, durationMs - lengthMs);
  const from = Math.min(Math.max(0, startMs), latestMs);
  return { startMs: from, endMs: from + lengthMs };
}

/** `factor` times as much of the call, around `atMs`, which stays where it is. */
export function zoomed(view: View, factor: number, atMs: number, durationMs: number): View {
  const longestMs = Math.max(durationMs, VIEW_MS_MIN);
  const lengthMs = Math.min(longestMs, Math.max(VIEW_MS_MIN, lengthOf(view) * factor));
  const share = (atMs - view.startMs) / lengthOf(view);
  return viewFrom({ startMs: 0, endMs: lengthMs }, atMs - share * lengthMs, durationMs);
}

/** Moved by a share of its length. */
export const panned = (view: View, share: number, durationMs: number): View =>
  viewFrom(view, view.startMs + share * lengthOf(view), durationMs);

/** The view, or one around `span` where neither half of it is seen, nor a third of the view shows it. */
export function revealing(view: View, { startMs, endMs }: Span, durationMs: number): View {
  const seenMs = Math.min(endMs, view.endMs) - Math.max(startMs, view.startMs);
  if (seenMs >= Math.min((endMs - startMs) / 2, lengthOf(view) / 3)) return view;
  const lengthMs = Math.max(lengthOf(view), Math.min(durationMs, (endMs - startMs) * 1.5));
  const middleMs = (startMs + endMs) / 2;
  return viewFrom({ startMs: 0, endMs: lengthMs }, middleMs - lengthMs / 2, durationMs);
}

/** Lengths between the marks of a ruler, ms. */
const TICKS_MS = [
  100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000, 120_000, 300_000, 600_000, 1_800_000, 3_600_000,
];

/** The times of the ruler's marks, at least `pixelsMin` apart in `width` pixels. */
export function ticksOf(view: View, width: number, pixelsMin: number): number[] {
  const msPerPixel = lengthOf(view) / Math.max(1, width);
  const stepMs = TICKS_MS.find((ms) => ms / msPerPixel >= pixelsMin) ?? (TICKS_MS.at(-1) as number);
  const ticks: number[] = [];
  for (let atMs = Math.ceil(view.startMs / stepMs) * stepMs; atMs <= view.endMs; atMs += stepMs) ticks.push(atMs);
  return ticks;
}

/**
 * The items of a list in the order of their starts that may be seen in `view`: those that begin before its end, from the first on that ends
 * after its start. Items may overlap by no more than `overlapMs`.
 */
export function visibleIn<T extends Span>(items: readonly T[], view: View, overlapMs: number): readonly T[] {
  const first = firstIndex(items, (item) => item.startMs >= view.startMs - overlapMs);
  const end = firstIndex(items, (item) => item.startMs > view.endMs);
  return items.slice(first, end);
}

/** The first index whose item fulfils a condition that all later ones fulfil too; the length without any. */
export function firstIndex<T>(items: readonly T[], condition: (item: T) => boolean): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (condition(items[middle] as T)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The largest of the peaks within a time of the recording; 0 without any. */
export function peakWithin(peaks: readonly number[], bucketMs: number, fromMs: number, toMs: number): number {
  const end = Math.min(peaks.length, Math.max(Math.floor(fromMs / bucketMs) + 1, Math.ceil(toMs / bucketMs)));
  let peak = 0;
  for (let at = Math.max(0, Math.floor(fromMs / bucketMs)); at < end; at += 1)
    peak = Math.max(peak, peaks[at] as number);
  return peak;
}
