import { expect, test } from "vitest";
import { DTMF_ORDER_MS, DTMF_PER_SECOND_MAX } from "../../../src/core/limits/messages.ts";
import { DtmfOrder } from "../../../src/gateway/leg/dtmf-order.ts";

function taken(keys: DtmfOrder, nowMs: number): string {
  let digits = "";
  for (let digit = keys.next(nowMs); digit !== undefined; digit = keys.next(nowMs)) digits += digit;
  return digits;
}

test("digits without a timestamp pass at once, in the order they arrived", () => {
  const keys = new DtmfOrder();
  expect(taken(keys, 0)).toBe("");
  keys.push("1", Number.NaN, 0);
  keys.push("2", Number.NaN, 0);
  expect(taken(keys, 0)).toBe("12");
});

test("digits that arrive out of order are delivered in the order they were pressed, once the first has waited long enough", () => {
  const keys = new DtmfOrder();
  keys.push("3", 1_300, 0);
  keys.push("1", 1_100, 10);
  keys.push("2", 1_200, 20);
  expect(taken(keys, DTMF_ORDER_MS - 1)).toBe("");
  expect(taken(keys, DTMF_ORDER_MS)).toBe("123");
});

test("a digit does not wait for later ones", () => {
  const keys = new DtmfOrder();
  keys.push("1", 1_100, 0);
  keys.push("2", 1_200, 150);
  expect(taken(keys, DTMF_ORDER_MS)).toBe("1");
  expect(taken(keys, 149 + DTMF_ORDER_MS)).toBe("");
  expect(taken(keys, 150 + DTMF_ORDER_MS)).toBe("2");
});

test("digits with the same timestamp keep the order of arrival, and a repeated digit stays repeated", () => {
  const keys = new DtmfOrder();
  for (const digit of "5515") keys.push(digit, 1_000, 0);
  expect(taken(keys, Number.POSITIVE_INFINITY)).toBe("5515");
});

test("C9: more than twenty within a second are rejected", () => {
  const keys = new DtmfOrder();
  const allowed = Array.from({ length: 500 }, (_, i) => keys.push("1", i, 0)).filter(Boolean);
  expect(allowed).toHaveLength(DTMF_PER_SECOND_MAX);
  expect(taken(keys, Number.POSITIVE_INFINITY)).toHaveLength(DTMF_PER_SECOND_MAX);
  expect(keys.push("1", 0, 1_000)).toBe(true);
});
