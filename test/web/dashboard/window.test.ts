import fc from "fast-check";
import { expect, test } from "vitest";
import { isSameWindow, rowWindow } from "../../../web/dashboard/app/window.ts";

test("every row on the screen is in the document, and few others", () => {
  fc.assert(
    fc.property(fc.nat(100_000), fc.nat(3_200_000), fc.nat(2_000), (rows, hiddenAbove, visibleHeight) => {
      const { first, end } = rowWindow(rows, 32, hiddenAbove, visibleHeight);
      const topRow = Math.floor(hiddenAbove / 32);
      const bottomRow = Math.ceil((hiddenAbove + visibleHeight) / 32);
      expect(first).toBeGreaterThanOrEqual(0);
      expect(end).toBeLessThanOrEqual(rows);
      if (topRow < rows) {
        expect(first).toBeLessThanOrEqual(topRow);
        expect(end).toBeGreaterThanOrEqual(Math.min(rows, bottomRow));
      }
      expect(end - first).toBeLessThanOrEqual(visibleHeight / 32 + 40);
    }),
  );
});

test("scrolling within a step shows the same rows, so that nothing is rendered", () => {
  const at = (top: number, height = 640) => ({ top, height });
  expect(isSameWindow(32, at(32 * 24), at(32 * 24 + 31))).toBe(true);
  expect(isSameWindow(32, at(32 * 24), at(32 * 30))).toBe(false);
  expect(isSameWindow(32, at(0), at(0, 960))).toBe(false);
});
