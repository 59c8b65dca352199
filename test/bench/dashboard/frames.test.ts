import { expect, test } from "vitest";
import type { TraceEvent } from "../../../bench/dashboard/trace/events.ts";
import { framesOf } from "../../../bench/dashboard/trace/frames.ts";

const PAGE = { pid: 10, tid: 1 };
const named = (name: string, where: { pid: number; tid: number }): TraceEvent => ({
  ...{ name: "thread_name", ph: "M", ts: 0, args: { name } },
  ...where,
});
/** An event of the page's main thread; times in ms. */
const event = (name: string, fromMs: number, ms: number, where = PAGE): TraceEvent => ({
  ...{ name, ph: "X", ts: 1_000 * fromMs, dur: 1_000 * ms },
  ...where,
});
const frameStart = (atMs: number): TraceEvent => ({ name: "BeginMainThreadFrame", ph: "I", ts: 1_000 * atMs, ...PAGE });

test("script and layout are counted once where they are nested, within the frame in which they are", () => {
  const times = framesOf([
    named("CrRendererMain", PAGE),
    frameStart(0),
    event("RunTask", 1, 9),
    event("EventDispatch", 1, 4),
    event("FunctionCall", 2, 2),
    event("Layout", 6, 2),
    event("Paint", 8, 2),
    frameStart(16),
    event("RunTask", 30, 4),
    // Half of it is in the next frame.
    event("FunctionCall", 30, 4),
    frameStart(32),
    frameStart(48),
  ]);
  expect(times).toEqual({
    frames: 3,
    scriptAndLayoutP95Ms: 6,
    scriptAndLayoutMaxMs: 6,
    allP95Ms: 9,
    longestTaskMs: 9,
  });
});

test("other threads and pages are not looked at, nor tasks before the first frame", () => {
  const [other, worker] = [
    { pid: 11, tid: 1 },
    { pid: 10, tid: 2 },
  ];
  const times = framesOf([
    named("CrRendererMain", PAGE),
    named("CrRendererMain", other),
    named("DedicatedWorker thread", worker),
    event("RunTask", 0, 90),
    frameStart(100),
    event("RunTask", 101, 3),
    event("FunctionCall", 101, 3),
    frameStart(116),
    event("RunTask", 101, 60, other),
    event("FunctionCall", 101, 60, worker),
  ]);
  expect(times).toMatchObject({ frames: 1, scriptAndLayoutMaxMs: 3, longestTaskMs: 3 });
});

test("a trace without frames has none", () => {
  expect(framesOf([])).toMatchObject({ frames: 0, longestTaskMs: 0 });
});
