import { expect, test } from "vitest";
import { callMs } from "../../../src/core/clocks.ts";
import { TokenBucket } from "../../../src/gateway/rate-limits/token-bucket.ts";

test("a token bucket allows its whole burst at once, and refills with time, up to the burst", () => {
  const bucket = new TokenBucket({ atOnce: 100, perSecond: 10 });
  expect(bucket.take(60, callMs(5_000))).toBe(true);
  expect(bucket.take(41, callMs(5_000))).toBe(false);
  // The refused amount took nothing.
  expect(bucket.take(40, callMs(5_000))).toBe(true);
  expect(bucket.take(1, callMs(5_099))).toBe(false);
  expect(bucket.take(1, callMs(5_100))).toBe(true);
  expect(bucket.take(101, callMs(1e9))).toBe(false);
  expect(bucket.take(100, callMs(1e9))).toBe(true);
  expect(bucket.take(1, callMs(1e9))).toBe(false);
});
