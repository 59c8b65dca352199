import { expect, test } from "vitest";
import { meanWithError, meanWithin95 } from "../../../bench/harness/statistics.ts";
import { slowdownOf } from "../../../bench/limits/calibration.ts";
import { BURST_MS_MAX, GROSS_TIMES, GROSS_TRIES_MAX, LOOP_SHARE_MAX } from "../../../bench/limits/limit.ts";
import { decoyMedia } from "../../../bench/limits/streams/streams.ts";
import { burstVerdict, isGrossBurst, isGrossRate, measuredAgain, rateVerdict } from "../../../bench/limits/verdict.ts";
import { CARRIER_MESSAGE_BYTES_MAX } from "../../../src/core/limits/streams/messages.ts";

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

test("a growth is gross beyond three times the bound, and as much more as the machine is slower", () => {
  const [share, medianMs] = [GROSS_TIMES * LOOP_SHARE_MAX * 1.5, GROSS_TIMES * BURST_MS_MAX * 1.5];
  expect([isGrossRate({ share }), isGrossBurst({ medianMs })]).toEqual([true, true]);
  expect([isGrossRate({ share, slowdown: 1.4 }), isGrossBurst({ medianMs, slowdown: 1.4 })]).toEqual([true, true]);
  expect([isGrossRate({ share, slowdown: 1.6 }), isGrossBurst({ medianMs, slowdown: 1.6 })]).toEqual([false, false]);
  expect([slowdownOf(1), slowdownOf(1e6)]).toEqual([1, expect.any(Number)]);
  expect(slowdownOf(2e6)).toBe(2 * slowdownOf(1e6));
});

test("a growth counts only where each of several measurements has it", async () => {
  const measured = async (shares: readonly number[]) => {
    let at = 0;
    const measure = async () => ({ share: shares[at++] ?? Number.NaN });
    return [(await measuredAgain(measure, isGrossRate, GROSS_TRIES_MAX)).share, at];
  };
  expect(await measured([0.05])).toEqual([0.05, 1]);
  expect(await measured([0.9, 0.8, 0.05])).toEqual([0.05, 3]);
  expect(await measured([0.9, 0.8, 0.7, 0.6, 0.05])).toEqual([0.6, GROSS_TRIES_MAX]);
});

test("a mean has twice its standard error as its error", () => {
  expect(meanWithError([1, 2, 3, 4, 5])).toEqual({ mean: 3, error: 2 * Math.sqrt(0.5) });
  expect(meanWithError([7])).toEqual({ mean: 7, error: Number.POSITIVE_INFINITY });
});

test("the mean of a few values is within half of its interval of 95 % by Student's t", () => {
  const { mean, error } = meanWithin95([1, 2, 3, 4, 5]);
  expect(mean).toBe(3);
  expect(error).toBeCloseTo(2.78 * Math.sqrt(0.5), 10);
  expect(meanWithin95(Array.from({ length: 40 }, (_, at) => at % 2)).error).toBeCloseTo(
    2.23 * Math.sqrt(0.25 / 39),
    10,
  );
  expect(meanWithin95([7]).error).toBe(Number.POSITIVE_INFINITY);
});

test("ADV-H1: the bench's payload of inaudible audio fills a message", () => {
  const message = decoyMedia("carrier_a", 17);
  expect(message).toHaveLength(CARRIER_MESSAGE_BYTES_MAX);
  expect(JSON.parse(message)).toMatchObject({ event: "media", media: { track: "inbound", chunk: "17" } });
});
