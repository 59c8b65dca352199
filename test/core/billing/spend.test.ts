import { expect, test } from "vitest";
import { SpendWindow } from "../../../src/core/billing/spend.ts";
import { monotonicMs } from "../../../src/core/clocks.ts";

test("ADV-H3: the refund of an overcharged request counts for the second of its charge, so that no minute exceeds the limit", () => {
  const window = new SpendWindow();
  window.add({ input_tokens: 100 }, monotonicMs(0));
  window.add({ input_tokens: 50 }, monotonicMs(30_000));
  window.refund({ input_tokens: 40 }, monotonicMs(0), monotonicMs(30_000));
  expect(window.sums(monotonicMs(30_000)).input_tokens).toBe(110);
  // The first is forgotten whole, with what was taken back of it.
  expect(window.sums(monotonicMs(61_000)).input_tokens).toBe(50);
  window.refund({ input_tokens: 60 }, monotonicMs(0), monotonicMs(61_000));
  expect(window.sums(monotonicMs(61_000)).input_tokens).toBe(50);
});
