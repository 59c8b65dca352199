import { expect, test } from "vitest";
import { FrameTimes, type FrameTimesData } from "../../../bench/measurement/frame-times.ts";
import { machineMonotonicMs } from "../../../bench/rig/monotonic.ts";
import { settleDues, TickClock } from "../../../bench/worker/tick-clock.ts";

const SLOT_MS = 2;

/** The dues of the ticker's runs and the times of writing, of a call whose frames are due at `dueMs` and written `lateMs` later. */
function written(lateMs: readonly number[], dueMs: (frame: number) => number) {
  const options = { calls: 1, framesMax: lateMs.length, baseMs: 0 };
  const [dues, writes] = [new FrameTimes(options), new FrameTimes(options)];
  for (const [frame, late] of lateMs.entries()) {
    // A late run begins with the slot that came due first: the last one before it that nothing was run for.
    const behindSlots = Math.min(9, Math.floor(late / SLOT_MS));
    dues.stamp(0, dueMs(frame) - behindSlots * SLOT_MS);
    writes.stamp(0, dueMs(frame) + late);
  }
  return { dues: dues.data, writes: writes.data };
}

const lateOf = (dues: FrameTimesData, writes: FrameTimesData): number[] =>
  [...writes.offsetsMs].map(
    (writtenMs, frame) => Math.round((writtenMs - (dues.offsetsMs[frame] as number)) * 1_000) / 1_000,
  );

test("frames of late runs are due at their own slot, not at the run's", () => {
  const lateMs = [0.4, 0.9, 5.5, 0.1, 17, 1.2];
  const { dues, writes } = written(lateMs, (frame) => 7 + 20 * frame);
  settleDues(dues, writes);
  expect(lateOf(dues, writes)).toEqual(lateMs);
});

test("a call that was never punctual has the due times of its runs, the earliest possible ones", () => {
  const { dues, writes } = written([4.5, 6.5], (frame) => 7 + 20 * frame);
  const before = [...dues.offsetsMs];
  settleDues(dues, writes);
  expect([...dues.offsetsMs]).toEqual(before);
});

test("frames are due when the ticker's slot is due, also while it catches up; the first frame of speech has no due time", async () => {
  const clock = new TickClock();
  const fromMs = machineMonotonicMs();
  await new Promise<void>((resolve) => {
    clock.after(20, () => {
      expect(clock.dueMs(false)).toBe(clock.dueMs(true));
      resolve();
    });
    expect(clock.dueMs(false)).toBeNaN();
  });
  expect(clock.dueMs(false)).toBeNaN();
  expect(clock.dueMs(true)).toBeGreaterThanOrEqual(fromMs + 20);
  expect(clock.dueMs(true)).toBeLessThanOrEqual(machineMonotonicMs());
});
