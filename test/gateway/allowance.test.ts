import { expect, test } from "vitest";
import { Allowance } from "../../src/gateway/allowance.ts";

test("all of it may be taken at once, and comes back with time, but never more", () => {
  const allowance = new Allowance({ atOnce: 100, perSecond: 10 });
  expect(allowance.takes(60, 5_000)).toBe(true);
  expect(allowance.takes(41, 5_000)).toBe(false);
  // What was refused took nothing.
  expect(allowance.takes(40, 5_000)).toBe(true);
  expect(allowance.takes(1, 5_099)).toBe(false);
  expect(allowance.takes(1, 5_100)).toBe(true);
  expect(allowance.takes(101, 1e9)).toBe(false);
  expect(allowance.takes(100, 1e9)).toBe(true);
  expect(allowance.takes(1, 1e9)).toBe(false);
});
