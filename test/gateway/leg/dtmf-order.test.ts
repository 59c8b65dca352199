import { expect, test } from "vitest";
import { callMs, epochMs } from "../../../src/core/clocks.ts";
import { DTMF_ORDER_MS, DTMF_PER_SECOND_MAX } from "../../../src/core/limits/streams/messages.ts";
import { DtmfOrder } from "../../../src/gateway/leg/dtmf-order.ts";

function taken(order: DtmfOrder, nowMs: number): string {
  let digits = "";
  for (let digit = order.next(callMs(nowMs)); digit !== undefined; digit = order.next(callMs(nowMs))) digits += digit;
  return digits;
}

test("digits without a timestamp pass at once, in the order they arrived", () => {
  const order = new DtmfOrder();
  expect(taken(order, 0)).toBe("");
  order.push("1", epochMs(Number.NaN), callMs(0));
  order.push("2", epochMs(Number.NaN), callMs(0));
  expect(taken(order, 0)).toBe("12");
});

test("digits that arrive out of order are delivered in the order they were pressed, once the first has waited long enough", () => {
  const order = new DtmfOrder();
  order.push("3", epochMs(1_300), callMs(0));
  order.push("1", epochMs(1_100), callMs(10));
  order.push("2", epochMs(1_200), callMs(20));
  expect(taken(order, DTMF_ORDER_MS - 1)).toBe("");
  expect(taken(order, DTMF_ORDER_MS)).toBe("123");
});

test("a digit does not wait for later ones", () => {
  const order = new DtmfOrder();
  order.push("1", epochMs(1_100), callMs(0));
  order.push("2", epochMs(1_200), callMs(150));
  expect(taken(order, DTMF_ORDER_MS)).toBe("1");
  expect(taken(order, 149 + DTMF_ORDER_MS)).toBe("");
  expect(taken(order, 150 + DTMF_ORDER_MS)).toBe("2");
});

test("digits with the same timestamp keep the order of arrival, and a repeated digit stays repeated", () => {
  const order = new DtmfOrder();
  for (const digit of "5515") order.push(digit, epochMs(1_000), callMs(0));
  expect(taken(order, Number.POSITIVE_INFINITY)).toBe("5515");
});

test("C9: more than twenty within a second are rejected", () => {
  const order = new DtmfOrder();
  const allowed = Array.from({ length: 500 }, (_, i) => order.push("1", epochMs(i), callMs(0))).filter(Boolean);
  expect(allowed).toHaveLength(DTMF_PER_SECOND_MAX);
  expect(taken(order, Number.POSITIVE_INFINITY)).toHaveLength(DTMF_PER_SECOND_MAX);
  expect(order.push("1", epochMs(0), callMs(1_000))).toBe(true);
});
