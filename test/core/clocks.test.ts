import { expect, it } from "vitest";
import { isoEpochMs, isoTime } from "../../src/core/clock.ts";
import {
  type AgeMs,
  addMs,
  ageMs,
  type CallMs,
  callMs,
  callMsAt,
  type EpochMs,
  earliest,
  elapsedMs,
  epochMs,
  latest,
  type MediaMs,
  type MonotonicMs,
  mediaMs,
  millisecondsOf,
  monotonicMs,
} from "../../src/core/clocks.ts";

it("adds durations to times, measures between times and chooses among them", () => {
  expect(addMs(callMs(100), 20)).toBe(120);
  expect(addMs(epochMs(100), -20)).toBe(80);
  expect(elapsedMs(monotonicMs(100), monotonicMs(130.5))).toBe(30.5);
  expect(earliest(callMs(3), callMs(1), callMs(2))).toBe(1);
  expect(latest(callMs(3), callMs(1), callMs(Number.POSITIVE_INFINITY))).toBe(Number.POSITIVE_INFINITY);
  expect(callMsAt(monotonicMs(1_000), monotonicMs(1_250))).toBe(250);
  expect(millisecondsOf(mediaMs(40))).toBe(40);
});

it("writes a time into JSON as a number", () => {
  expect(JSON.stringify({ nowMs: callMs(12.5) })).toBe('{"nowMs":12.5}');
});

it("reads and writes wall-clock time as ISO 8601", () => {
  expect(isoTime(epochMs(Date.UTC(2026, 10, 21, 8, 0, 2, 140)))).toBe("2026-11-21T08:00:02.140Z");
  expect(isoEpochMs("2026-11-21T09:00:02.140+01:00")).toBe(Date.UTC(2026, 10, 21, 8, 0, 2, 140));
  expect(isoEpochMs("21 November 2026")).toBeNaN();
  expect(() => isoTime(epochMs(Number.NaN))).toThrow(RangeError);
});

it("compares and subtracts times of one clock", () => {
  const [early, late] = [callMs(1), callMs(2)];
  expect(early < late && late > early && early <= late && late >= early && early !== late).toBe(true);
});

// `tsc` is the test of what follows: it fails for each line below `@ts-expect-error` that compiles.
const call: CallMs = callMs(1);
const process: MonotonicMs = monotonicMs(2);
const wall: EpochMs = epochMs(3);
const media: MediaMs = mediaMs(4);
const age: AgeMs = ageMs(5);

it("does not compile a comparison of different clocks", () => {
  const comparisons = [
    // @ts-expect-error
    call <= process,
    // @ts-expect-error
    call <= wall,
    // @ts-expect-error
    call <= media,
    // @ts-expect-error
    process <= wall,
    // @ts-expect-error
    process <= media,
    // @ts-expect-error
    wall <= media,
    // @ts-expect-error
    call <= age,
    // @ts-expect-error
    process <= age,
    // @ts-expect-error
    wall <= age,
    // @ts-expect-error
    media <= age,
    // @ts-expect-error
    call === process,
    // @ts-expect-error
    call === wall,
    // @ts-expect-error
    call === media,
    // @ts-expect-error
    process === wall,
    // @ts-expect-error
    process === media,
    // @ts-expect-error
    wall === media,
    // @ts-expect-error
    call === age,
    // @ts-expect-error
    process === age,
    // @ts-expect-error
    wall === age,
    // @ts-expect-error
    media === age,
  ];
  expect(comparisons).toEqual([...Array(10).fill(true), ...Array(10).fill(false)]);
});

it("does not compile a difference or a choice of different clocks", () => {
  const results = [
    // @ts-expect-error
    process - call,
    // @ts-expect-error
    wall - call,
    // @ts-expect-error
    media - call,
    // @ts-expect-error
    wall - process,
    // @ts-expect-error
    media - process,
    // @ts-expect-error
    media - wall,
    // @ts-expect-error
    age - call,
    // @ts-expect-error
    age - process,
    // @ts-expect-error
    age - wall,
    // @ts-expect-error
    age - media,
    // @ts-expect-error
    elapsedMs(call, process),
    // @ts-expect-error
    elapsedMs(call, wall),
    // @ts-expect-error
    elapsedMs(call, media),
    // @ts-expect-error
    elapsedMs(process, wall),
    // @ts-expect-error
    elapsedMs(process, media),
    // @ts-expect-error
    elapsedMs(wall, media),
    // @ts-expect-error
    elapsedMs(call, age),
    // @ts-expect-error
    elapsedMs(process, age),
    // @ts-expect-error
    elapsedMs(wall, age),
    // @ts-expect-error
    elapsedMs(media, age),
    // @ts-expect-error
    earliest(call, process),
    // @ts-expect-error
    earliest(call, wall),
    // @ts-expect-error
    earliest(call, media),
    // @ts-expect-error
    earliest(process, wall),
    // @ts-expect-error
    earliest(process, media),
    // @ts-expect-error
    earliest(wall, media),
    // @ts-expect-error
    earliest(call, age),
    // @ts-expect-error
    earliest(process, age),
    // @ts-expect-error
    earliest(wall, age),
    // @ts-expect-error
    earliest(media, age),
    // @ts-expect-error
    callMsAt(call, process),
    // @ts-expect-error
    addMs(call, 1) - call,
  ];
  const differences = [1, 2, 3, 1, 2, 1, 4, 3, 2, 1];
  expect(results).toEqual([...differences, ...differences, 1, 1, 1, 2, 2, 3, 1, 2, 3, 4, 1, 1]);
});

it("does not compile a number as a time, nor a time as a number", () => {
  // @ts-expect-error
  const time: CallMs = 5;
  // @ts-expect-error
  const durationMs: number = call;
  // @ts-expect-error
  const isPast = time <= 6;
  expect([time, durationMs, isPast]).toEqual([5, 1, true]);
});
