import { mainThreadEvents, type TraceEvent } from "./events.ts";

/** What the main thread of a page did while it was scrolled, ms. */
export interface FrameTimes {
  frames: number;
  /** Script, with its garbage collections, and style and layout, within a frame: p95 and the longest. */
  scriptAndLayoutP95Ms: number;
  scriptAndLayoutMaxMs: number;
  /** The same with paint and everything else that the main thread did. */
  allP95Ms: number;
  longestTaskMs: number;
}

const TASK = "RunTask";
/** With it the main thread begins a frame. */
const FRAME_START = "BeginMainThreadFrame";

const SCRIPT_AND_LAYOUT: ReadonlySet<string> = new Set([
  "EvaluateScript",
  "v8.compile",
  "v8.evaluateModule",
  "FunctionCall",
  "V8.HandleInterrupts",
  "EventDispatch",
  "FireAnimationFrame",
  "FireIdleCallback",
  "TimerFire",
  "RunMicrotasks",
  "XHRReadyStateChange",
  "XHRLoad",
  "HandlePostMessage",
  "MinorGC",
  "MajorGC",
  "V8.GCScavenger",
  "V8.GCFinalizeMC",
  "UpdateLayoutTree",
  "RecalculateStyles",
  "Layout",
  "IntersectionObserverController::computeIntersections",
  "ResizeObserver",
]);

interface Interval {
  startUs: number;
  endUs: number;
}

const intervalOf = ({ ts, dur = 0 }: TraceEvent): Interval => ({ startUs: ts, endUs: ts + dur });

/** Reads a trace. A frame lasts from its start on the main thread to the next one's; what comes before the first is none. */
export function framesOf(trace: readonly TraceEvent[]): FrameTimes {
  const events = mainThreadEvents(trace);
  const starts = events.filter(({ name }) => name === FRAME_START).map(({ ts }) => ts);
  const complete = events.filter(({ ph }) => ph === "X");
  const tasks = complete.filter(({ name }) => name === TASK).map(intervalOf);
  const work = united(complete.filter(({ name }) => SCRIPT_AND_LAYOUT.has(name)).map(intervalOf));
  const workMs = perFrame(starts, work);
  const allMs = perFrame(starts, united(tasks));
  const [from = 0, to = 0] = [starts[0], starts.at(-1)];
  const within = tasks.filter(({ startUs, endUs }) => endUs > from && startUs < to);
  return {
    frames: workMs.length,
    scriptAndLayoutP95Ms: quantile(workMs, 0.95),
    scriptAndLayoutMaxMs: quantile(workMs, 1),
    allP95Ms: quantile(allMs, 0.95),
    longestTaskMs: Math.max(0, ...within.map(({ startUs, endUs }) => endUs - startUs)) / 1_000,
  };
}

/** Intervals, sorted by their starts, as those that do not overlap: events are nested. */
function united(intervals: readonly Interval[]): Interval[] {
  const result: Interval[] = [];
  for (const { startUs, endUs } of intervals) {
    const last = result.at(-1);
    if (last !== undefined && startUs <= last.endUs) last.endUs = Math.max(last.endUs, endUs);
    else result.push({ startUs, endUs });
  }
  return result;
}

/** How much of each frame the intervals take, ms. */
function perFrame(starts: readonly number[], intervals: readonly Interval[]): number[] {
  const times: number[] = [];
  let at = 0;
  for (const [frame, startUs] of starts.slice(0, -1).entries()) {
    const endUs = starts[frame + 1] as number;
    while (at < intervals.length && (intervals[at] as Interval).endUs <= startUs) at += 1;
    let sumUs = 0;
    for (let next = at; next < intervals.length && (intervals[next] as Interval).startUs < endUs; next += 1) {
      const interval = intervals[next] as Interval;
      sumUs += Math.min(endUs, interval.endUs) - Math.max(startUs, interval.startUs);
    }
    times.push(sumUs / 1_000);
  }
  return times;
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
}
