import { describe, expect, test } from "vitest";
import { DtmfEntry } from "../../../src/call/turn-taking/dtmf-entry.ts";
import { callMs } from "../../../src/core/clocks.ts";
import { DTMF_ENTRY_DIGITS_MAX } from "../../../src/core/limits/calls/calls.ts";

const GAP_MS = 2_500;

describe("DTMF digits", () => {
  test("are one entry up to the #, which is no part of it", () => {
    const digits = new DtmfEntry(GAP_MS);
    expect(digits.press("1", callMs(0))).toBeUndefined();
    expect(digits.press("*", callMs(100))).toBeUndefined();
    expect(digits.press("#", callMs(200))).toBe("1*");
    expect(digits.press("2", callMs(300))).toBeUndefined();
    expect(digits.press("#", callMs(400))).toBe("2");
  });

  test("are an entry when no more follow for the gap, counted from the last", () => {
    const digits = new DtmfEntry(GAP_MS);
    expect(digits.deadlineMs).toBe(Number.POSITIVE_INFINITY);
    digits.press("4", callMs(1_000));
    digits.press("2", callMs(3_000));
    expect(digits.deadlineMs).toBe(3_000 + GAP_MS);
    expect(digits.take()).toBe("42");
    expect(digits.deadlineMs).toBe(Number.POSITIVE_INFINITY);
  });

  test("a # by itself is an entry", () => {
    expect(new DtmfEntry(GAP_MS).press("#", callMs(0))).toBe("#");
  });

  test("C9: without end make entries of the maximum length", () => {
    const digits = new DtmfEntry(GAP_MS);
    const entries = Array.from({ length: 200 }, (_, index) => digits.press("7", callMs(index))).filter(
      (e) => e !== undefined,
    );
    expect(entries.map((entry) => entry.length)).toEqual([
      DTMF_ENTRY_DIGITS_MAX,
      DTMF_ENTRY_DIGITS_MAX,
      DTMF_ENTRY_DIGITS_MAX,
    ]);
  });
});
