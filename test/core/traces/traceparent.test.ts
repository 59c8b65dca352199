import { expect, test } from "vitest";
import { parseTraceparent, traceparentText } from "../../../src/core/traces/traceparent.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

test("a traceparent of W3C names a span and whether it is sampled", () => {
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-02`)?.isSampled).toBe(false);
  expect(traceparentText({ traceId: TRACE, spanId: SPAN, isSampled: true })).toBe(`00-${TRACE}-${SPAN}-01`);
});

test("a later version may have more fields", () => {
  expect(parseTraceparent(`01-${TRACE}-${SPAN}-01-more`)).toEqual({ traceId: TRACE, spanId: SPAN, isSampled: true });
});

test.each([
  "",
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01-more`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${"0".repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${"0".repeat(16)}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE}-${SPAN}-01\n`,
  ` 00-${TRACE}-${SPAN}-01`,
])("%j is ignored", (text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});
