import { strict as assert } from "node:assert";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Runs the collector, whole and at once. */
export const collectGarbage: () => void = (() => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc");
})();

const WINDOWS = 101;
/** On a busy machine the compiler is late, and what it has not compiled yet makes objects of numbers: it gets more chances. */
const MEASUREMENTS_MAX = 8;
/** How much heap one measurement finds more or less than another. */
const MEASUREMENT_ERROR_BYTES = 200;

/**
 * Heap bytes that one run of `task` allocates when it is warm, garbage included: the median over windows of `runs` each, so that
 * the few windows in which the collector runs or the compiler works don't count, and the least of a few measurements. Throws when
 * the windows are too long for that. It is warm after `warmUpRuns`.
 */
export function heapBytesPerRun(task: () => void, runs: number, warmUpRuns = 20_000): number {
  for (let i = 0; i < warmUpRuns; i += 1) task();
  medianGrowth(task, runs);
  let least = Number.POSITIVE_INFINITY;
  let windowRuns = runs;
  for (let measurement = 0; measurement < MEASUREMENTS_MAX && least >= 1; measurement += 1) {
    collectGarbage();
    const growth = medianGrowth(task, windowRuns) - medianGrowth(task, 0);
    // A growth below nothing was measured while the collector freed what others had left; the measurement itself is not exact.
    if (growth > -Math.max(windowRuns, MEASUREMENT_ERROR_BYTES)) least = Math.min(least, growth / windowRuns);
    else windowRuns = Math.ceil(windowRuns / 2);
  }
  assert.ok(Number.isFinite(least), "the collector ran in most windows: take fewer runs");
  return least;
}

function medianGrowth(task: () => void, runs: number): number {
  const growths = new Float64Array(WINDOWS);
  for (let window = 0; window < WINDOWS; window += 1) {
    const before = process.memoryUsage().heapUsed;
    for (let i = 0; i < runs; i += 1) task();
    growths[window] = process.memoryUsage().heapUsed - before;
  }
  return growths.sort()[Math.floor(WINDOWS / 2)] as number;
}
