import { expect, test } from "vitest";
import { BorrowedViews } from "../../src/media/borrowed-views.ts";

test("a view shows the bytes as they are now, and is made once for each length", () => {
  const views = new BorrowedViews();
  const bytes = Uint8Array.of(1, 2, 3, 4);
  const view = views.of(bytes, 1, 3);
  expect([...view]).toEqual([2, 3]);
  bytes[1] = 9;
  expect([...views.of(bytes, 1, 3)]).toEqual([9, 3]);
  expect(views.of(bytes, 1, 3)).toBe(view);
  expect([...views.of(bytes, 1, 4)]).toEqual([9, 3, 4]);
});

test("the same part of other bytes, and another part, are other views", () => {
  const views = new BorrowedViews();
  const pool = Uint8Array.of(1, 2, 3, 4, 5, 6);
  expect([...views.of(pool.subarray(0, 3), 1, 3)]).toEqual([2, 3]);
  expect([...views.of(pool.subarray(3, 6), 1, 3)]).toEqual([5, 6]);
  expect([...views.of(Uint8Array.of(7, 8, 9), 1, 3)]).toEqual([8, 9]);
  expect([...views.of(Uint8Array.of(7, 8, 9), 0, 2)]).toEqual([7, 8]);
});
