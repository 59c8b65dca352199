import { expect, test } from "vitest";
import { driftMs, framesPerCall, latenessMs, offGridMs, transitMs } from "../../../bench/measurement/frame-analysis.ts";
import { FrameTimes } from "../../../bench/measurement/frame-times.ts";

const FRAMES = 50;
const WHOLE = { fromMs: 0, toMs: 100_000 };

/** Two calls whose frames pass at `atMs(call, frame)`; those that give undefined never do. */
function times(atMs: (call: number, frame: number) => number | undefined, frames = FRAMES) {
  const stamps = new FrameTimes({ calls: 2, framesMax: FRAMES, baseMs: 1_000 });
  for (const call of [0, 1]) {
    for (let frame = 0; frame < frames; frame += 1) {
      const passedMs = atMs(call, frame);
      if (passedMs !== undefined) stamps.stamp(call, passedMs);
    }
  }
  return stamps.data;
}

const onTime = (call: number, frame: number): number => 1_000 + 5 * call + 20 * frame;

test("the transit time of each frame is the difference of its two timestamps, in every call", () => {
  const sent = times(onTime);
  const heard = times((call, frame) => onTime(call, frame) + 0.25 + frame / 1_000);
  const tookMs = transitMs(sent, heard, WHOLE);
  expect(tookMs).toHaveLength(2 * FRAMES);
  for (const [index, took] of tookMs.entries()) expect(took).toBeCloseTo(0.25 + (index % FRAMES) / 1_000, 3);
});

test("frames that never arrived and frames outside the window are not counted", () => {
  const sent = times(onTime);
  const heard = times((call, frame) => (frame < 40 ? onTime(call, frame) + 1 : undefined));
  expect(transitMs(sent, heard, WHOLE)).toHaveLength(80);
  expect(transitMs(sent, heard, { fromMs: 1_000, toMs: 1_200 })).toHaveLength(20);
  expect(framesPerCall(heard, WHOLE)).toEqual({ fewest: 40, most: 40 });
});

test("frames beyond the recorded ones are counted but not timed", () => {
  const sent = times(onTime, FRAMES + 7);
  expect([...sent.counts]).toEqual([57, 57]);
  expect(transitMs(sent, sent, WHOLE)).toHaveLength(2 * FRAMES);
});

test("the lateness of a frame is relative to the start of its own call", () => {
  const sent = times((call, frame) => onTime(call, frame) + (frame === 7 ? 3 : 0));
  const lateMs = latenessMs(sent, Float64Array.of(1_000, 1_005), WHOLE);
  expect(Math.max(...lateMs)).toBeCloseTo(3, 3);
  expect([...lateMs].filter((late) => late > 0.01)).toHaveLength(2);
});

test("one early or late frame does not move the call's grid", () => {
  const received = times((call, frame) => onTime(call, frame) + (frame === 3 ? -9 : frame === 9 ? 4 : 0));
  const offMs = [...offGridMs(received, WHOLE)].filter((off) => off > 0.01).map(Math.round);
  expect(offMs.sort()).toEqual([4, 4, 9, 9]);
});

test("permanently lost time shows as drift, a temporary delay by a stall does not", () => {
  const window = { fromMs: 1_000, toMs: 2_000 };
  const stalled = times((call, frame) => onTime(call, frame) + (frame > 46 ? 60 : 0));
  expect(driftMs(stalled, window)).toBe(0);
  const lost = times((call, frame) => onTime(call, frame) + (call === 1 && frame > 25 ? 40 : 0));
  expect(driftMs(lost, window)).toBeCloseTo(40, 3);
});
