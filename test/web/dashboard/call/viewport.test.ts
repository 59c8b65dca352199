import { describe, expect, test } from "vitest";
import {
  firstIndex,
  panned,
  peakWithin,
  revealing,
  ticksOf,
  visibleIn,
  wholeCall,
  zoomed,
} from "../../../../web/dashboard/pages/call/model/viewport.ts";

const DURATION_MS = 100_000;

describe("the view of a time line", () => {
  test("zooms around a time, which stays where it is", () => {
    const view = zoomed({ startMs: 20_000, endMs: 40_000 }, 0.5, 25_000, DURATION_MS);
    expect(view).toEqual({ startMs: 22_500, endMs: 32_500 });
  });

  test("is never outside the call, nor shorter than half a second", () => {
    expect(zoomed({ startMs: 0, endMs: 50_000 }, 10, 40_000, DURATION_MS)).toEqual({ startMs: 0, endMs: DURATION_MS });
    expect(zoomed({ startMs: 0, endMs: 600 }, 0.1, 0, DURATION_MS)).toEqual({ startMs: 0, endMs: 500 });
    expect(panned({ startMs: 90_000, endMs: 100_000 }, 0.5, DURATION_MS)).toEqual({ startMs: 90_000, endMs: 100_000 });
    expect(panned({ startMs: 1_000, endMs: 11_000 }, -0.5, DURATION_MS)).toEqual({ startMs: 0, endMs: 10_000 });
    expect(wholeCall(120)).toEqual({ startMs: 0, endMs: 500 });
  });

  test("moves to what is not in it, and is longer where that is", () => {
    const view = { startMs: 0, endMs: 10_000 };
    expect(revealing(view, { startMs: 2_000, endMs: 3_000 }, DURATION_MS)).toBe(view);
    // What was clicked does not jump away because its end is outside.
    expect(revealing(view, { startMs: 4_000, endMs: 15_000 }, DURATION_MS)).toBe(view);
    expect(revealing(view, { startMs: 9_000, endMs: 9_000 }, DURATION_MS)).toBe(view);
    expect(revealing(view, { startMs: 50_000, endMs: 51_000 }, DURATION_MS)).toEqual({
      startMs: 45_500,
      endMs: 55_500,
    });
    expect(revealing(view, { startMs: 20_000, endMs: 40_000 }, DURATION_MS)).toEqual({
      startMs: 15_000,
      endMs: 45_000,
    });
  });

  test("has marks of the ruler that are far enough apart", () => {
    expect(ticksOf({ startMs: 0, endMs: 10_000 }, 1_000, 72)).toEqual(
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((s) => s * 1_000),
    );
    expect(ticksOf({ startMs: 0, endMs: 7_200_000 }, 300, 72)).toEqual([0, 1_800_000, 3_600_000, 5_400_000, 7_200_000]);
  });

  test("shows what overlaps it alone", () => {
    const items = Array.from({ length: 1_000 }, (_, at) => ({ startMs: at * 100, endMs: at * 100 + 50 }));
    expect(visibleIn(items, { startMs: 50_000, endMs: 50_250 }, 60).map(({ startMs }) => startMs)).toEqual([
      50_000, 50_100, 50_200,
    ]);
    expect(firstIndex([], () => true)).toBe(0);
  });

  test("takes the largest peak of a time, and one at least", () => {
    const peaks = [1, 9, 3, 4];
    expect(peakWithin(peaks, 100, 0, 400)).toBe(9);
    expect(peakWithin(peaks, 100, 210, 220)).toBe(3);
    expect(peakWithin(peaks, 100, 900, 950)).toBe(0);
  });
});
