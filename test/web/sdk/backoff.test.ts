import { expect, test } from "vitest";
import { RESUME_MS_MAX, resumeDelayMs } from "../../../web/sdk/src/backoff.ts";

test("a lost connection is opened at once, then with delays that double up to 3 s", () => {
  const delays = Array.from({ length: 7 }, (_, attempt) => resumeDelayMs(attempt, 0, 0));
  expect(delays).toEqual([0, 250, 500, 1_000, 2_000, 3_000, 3_000]);
});

test("chance shortens a delay by up to 30 %", () => {
  expect(resumeDelayMs(3, 0, 1)).toBeCloseTo(700, 9);
  expect(resumeDelayMs(0, 0, 1)).toBe(0);
});

test("no attempt begins after 15 s, because the service has given the call up", () => {
  expect(resumeDelayMs(0, RESUME_MS_MAX - 1, 0)).toBe(0);
  expect(resumeDelayMs(0, RESUME_MS_MAX, 0)).toBeUndefined();
  expect(resumeDelayMs(6, RESUME_MS_MAX - 2_000, 0)).toBeUndefined();
});
