// @module-tag stt

import { expect, test } from "vitest";
import { endOfTurnIn, InterimFilter } from "../../../src/speech/stt/interim-filter.ts";

test("repeated words are news only when their figure for the end of the turn has moved by a tenth", () => {
  const filter = new InterimFilter();
  const emitted = [
    filter.isNews("", 0.5),
    filter.isNews("two cakes", 0.05),
    filter.isNews("two cakes", 0.1),
    filter.isNews("two cakes", 0.16),
    filter.isNews("two cakes", 0.06),
    filter.isNews("two cakes", undefined),
    filter.isNews("two cakes please", 0.06),
  ];
  expect(emitted).toEqual([false, true, false, true, true, false, true]);
});

test("the same words in the next turn are news", () => {
  const filter = new InterimFilter();
  expect([filter.isNews("yes", undefined), filter.hasText]).toEqual([true, true]);
  filter.reset();
  expect([filter.hasText, filter.isNews("yes", undefined)]).toEqual([false, true]);
});

test("a figure outside of 0 to 1 is none", () => {
  expect([0, 0.123, 1, -0.1, 1.1, Number.NaN, "0.5", null, undefined].map(endOfTurnIn)).toEqual([
    0,
    0.12,
    1,
    ...Array(6).fill(undefined),
  ]);
});
