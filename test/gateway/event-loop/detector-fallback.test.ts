import { expect, test } from "vitest";
import {
  DETECTOR_RECOVERY_LAG_SHARE,
  DETECTOR_RECOVERY_MS,
  LOOP_LAG_MS_MAX,
  LOOP_LAG_WINDOW_MS,
  WEBRTC_LOOP_LAG_MS_MAX,
} from "../../../src/core/limits/service/admission.ts";
import { DetectorFallback } from "../../../src/gateway/event-loop/detector-fallback.ts";

const LAGGING = LOOP_LAG_MS_MAX + 1;
const RECOVERY_LAG_MS_MAX = DETECTOR_RECOVERY_LAG_SHARE * LOOP_LAG_MS_MAX;
const CALM = RECOVERY_LAG_MS_MAX - 1;
const RECOVERY_WINDOWS = DETECTOR_RECOVERY_MS / LOOP_LAG_WINDOW_MS;

/** The changes of a fallback that is given these delays, each as the number of the window after which it came. */
function changes(lagsMs: readonly number[], loopLagMsMax = LOOP_LAG_MS_MAX): [window: number, isOn: boolean][] {
  const changed: [number, boolean][] = [];
  let window = 0;
  const fallback = new DetectorFallback(loopLagMsMax, (isOn) => changed.push([window, isOn]));
  for (const lagMs of lagsMs) {
    window += 1;
    fallback.measured(lagMs);
  }
  return changed;
}

const calm = (windows: number): number[] => Array<number>(windows).fill(CALM);

test("the detector falls back once a lasting delay exceeds the limit, and reports that once", () => {
  expect(changes([0, LOOP_LAG_MS_MAX, LAGGING, LAGGING, LAGGING])).toEqual([[3, true]]);
});

test("the detector of a WebRTC worker, which sends less far ahead, falls back at less delay, and recovers below half of that", () => {
  const lagging = WEBRTC_LOOP_LAG_MS_MAX + 1;
  const halfMs = WEBRTC_LOOP_LAG_MS_MAX / 2;
  expect(changes([lagging])).toEqual([]);
  expect(changes([lagging, ...Array<number>(60).fill(halfMs)], WEBRTC_LOOP_LAG_MS_MAX)).toEqual([[1, true]]);
});

test("it no longer falls back when the delay has been short for the whole recovery", () => {
  expect(changes([LAGGING, ...calm(RECOVERY_WINDOWS - 1)])).toEqual([[1, true]]);
  expect(changes([LAGGING, ...calm(RECOVERY_WINDOWS)])).toEqual([
    [1, true],
    [1 + RECOVERY_WINDOWS, false],
  ]);
});

test("a delay between the two limits keeps it as it is, and a recovery starts again after one", () => {
  const between = RECOVERY_LAG_MS_MAX;
  expect(changes(Array<number>(60).fill(between))).toEqual([]);
  const interrupted = [LAGGING, ...calm(RECOVERY_WINDOWS - 1), between, ...calm(RECOVERY_WINDOWS - 1)];
  expect(changes(interrupted)).toEqual([[1, true]]);
});

test("a delay that comes back with the detector changes it at most twice in a recovery", () => {
  // Two windows pass until the delay is measured: see LoopLag.
  const round = [LAGGING, ...calm(RECOVERY_WINDOWS), CALM];
  const changed = changes(Array.from({ length: 50 }, () => round).flat());
  expect(changed.length).toBe(100);
  expect(round.length * LOOP_LAG_WINDOW_MS).toBeGreaterThan(DETECTOR_RECOVERY_MS);
});
