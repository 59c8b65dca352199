import { expect, test } from "vitest";
import { monotonicMs } from "../../../../src/core/clocks.ts";
import { FramingBudget } from "../../../../src/gateway/server/ws/framing-budget.ts";

test("ADV-L8: bytes that become no message fill the bucket; messages and time drain it", () => {
  const framing = new FramingBudget({ max: 1_000, perSecond: 100 });
  expect(framing.received(1_000, monotonicMs(0))).toBe(true);
  framing.completed(1_000);
  expect(framing.received(1_000, monotonicMs(0))).toBe(true);
  expect(framing.received(100, monotonicMs(999))).toBe(false);
  expect(framing.received(0, monotonicMs(2_000))).toBe(true);
});

test("messages earn no credit for what follows them", () => {
  const framing = new FramingBudget({ max: 1_000, perSecond: 100 });
  framing.received(10, monotonicMs(0));
  framing.completed(10_000);
  expect(framing.received(1_001, monotonicMs(0))).toBe(false);
});
