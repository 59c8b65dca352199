import { expect, test } from "vitest";
import { meanWithError } from "../../../bench/harness/statistics.ts";
import { BURST_MS_MAX, LOOP_SHARE_MAX } from "../../../bench/limits/limit.ts";
import { decoyMedia } from "../../../bench/limits/streams/streams.ts";
import { burstVerdict, rateVerdict } from "../../../bench/limits/verdict.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/messages.ts";

test("ADV-H1: a figure below zero, or with an error beyond a tenth of the bound, counts as not measured", () => {
  // Tool results of 64 KiB, as they were once said to hold: -22,238 µs each.
  expect(rateVerdict({ share: -0.0056, shareError: 0.001 })).toBe("not measured");
  expect(rateVerdict({ share: 0, shareError: 0 })).toBe("not measured");
  expect(rateVerdict({ share: 0.01, shareError: 0.02 })).toBe("not measured");
  expect(rateVerdict({ share: 0.01, shareError: Number.POSITIVE_INFINITY })).toBe("not measured");
  expect(rateVerdict({ share: Number.NaN, shareError: Number.NaN })).toBe("not measured");
});

test("ADV-H1: a limit holds or is exceeded only if the bound is outside the error", () => {
  expect(rateVerdict({ share: 0.002, shareError: 0.005 })).toBe("holds");
  expect(rateVerdict({ share: 0.08, shareError: 0.01 })).toBe("holds");
  expect(rateVerdict({ share: 0.095, shareError: 0.01 })).toBe("not measured");
  expect(rateVerdict({ share: 0.105, shareError: 0.01 })).toBe("not measured");
  expect(rateVerdict({ share: LOOP_SHARE_MAX + 0.02, shareError: 0.01 })).toBe("exceeded");
});

test("ADV-H1: a burst is judged by its median if all figures are above zero and differ by at most the bound", () => {
  expect(burstVerdict({ minMs: 20, medianMs: 30, maxMs: 60 })).toBe("holds");
  expect(burstVerdict({ minMs: 45, medianMs: BURST_MS_MAX + 1, maxMs: 60 })).toBe("exceeded");
  expect(burstVerdict({ minMs: -1, medianMs: 4, maxMs: 6 })).toBe("not measured");
  expect(burstVerdict({ minMs: 5, medianMs: 20, maxMs: 56 })).toBe("not measured");
});

test("a mean has twice its standard error as its error", () => {
  expect(meanWithError([1, 2, 3, 4, 5])).toEqual({ mean: 3, error: 2 * Math.sqrt(0.5) });
  expect(meanWithError([7])).toEqual({ mean: 7, error: Number.POSITIVE_INFINITY });
});

test("ADV-H1: the bench's payload of inaudible audio fills a message", () => {
  const message = decoyMedia("carrier_a", 17);
  expect(message).toHaveLength(CARRIER_MESSAGE_BYTES_MAX);
  expect(JSON.parse(message)).toMatchObject({ event: "media", media: { track: "inbound", chunk: "17" } });
});
