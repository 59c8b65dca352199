import { expect, test } from "vitest";
import { TokenBucket } from "../../../src/gateway/rate-limits/token-bucket.ts";

test("a token bucket allows its whole burst at once, and refills with time, up to the burst", () => {
  const allowance = new TokenBucket({ atOnce: 100, perSecond: 10 });
  expect(allowance.take(60, 5_000)).toBe(true);
  expect(allowance.take(41, 5_000)).toBe(false);
  // The refused amount took nothing.
  expect(allowance.take(40, 5_000)).toBe(true);
  expect(allowance.take(1, 5_099)).toBe(false);
  expect(allowance.take(1, 5_100)).toBe(true);
  expect(allowance.take(101, 1e9)).toBe(false);
  expect(allowance.take(100, 1e9)).toBe(true);
  expect(allowance.take(1, 1e9)).toBe(false);
});
