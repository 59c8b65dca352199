import { expect, test } from "vitest";
import { TIME_BOUNDS_MS, TimeHistogram } from "../../../src/core/metrics/histogram.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

test("a time counts for its bucket and all above it; a bound belongs to its own bucket", () => {
  const times = new TimeHistogram();
  for (const tookMs of [0.01, 0.05, 0.051, 2, 2.1, 9_999]) times.observe(tookMs);
  const upTo = new Map(TIME_BOUNDS_MS.map((boundMs, index) => [boundMs, times.cumulativeCounts[index]]));
  expect([0.05, 0.1, 1, 2, 5, 2_000].map((boundMs) => upTo.get(boundMs))).toEqual([2, 3, 3, 4, 5, 5]);
  expect(times.cumulativeCounts.at(-1)).toBe(6);
  expect(times.sumMs).toBeCloseTo(0.01 + 0.05 + 0.051 + 2 + 2.1 + 9_999);
});

test("a reading does not change with later counts", () => {
  const times = new TimeHistogram();
  times.observe(1);
  const before = times.cumulativeCounts;
  times.observe(1);
  expect([before.at(-1), times.cumulativeCounts.at(-1)]).toEqual([1, 2]);
});

test("a negative duration, which rounding can cause, counts as zero", () => {
  const times = new TimeHistogram();
  times.observe(-0.000_1);
  expect([times.cumulativeCounts[0], times.sumMs]).toEqual([1, 0]);
});

test("the latency budgets are bounds of buckets, so that a scrape shows whether they hold", () => {
  for (const budgetMs of [2, 10]) expect(TIME_BOUNDS_MS).toContain(budgetMs);
  expect([...TIME_BOUNDS_MS]).toEqual([...TIME_BOUNDS_MS].sort((a, b) => a - b));
});

test("observing a value allocates nothing", () => {
  const times = new TimeHistogram();
  let tookMs = 0;
  const bytes = heapBytesPerRun(() => {
    tookMs = (tookMs + 0.37) % 40;
    times.observe(tookMs);
  }, 200);
  expect(times.cumulativeCounts.at(-1)).toBeGreaterThan(0);
  // A number that is handed on may be boxed where the compiler does not see through.
  expect(bytes).toBeLessThan(40);
});
