import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callMs } from "../../src/core/clocks.ts";
import { FRAME_MS, OUTPUT_LEAD_MS } from "../../src/core/limits/streams/media.ts";
import { PlaybackClock } from "../../src/media/playback-clock.ts";
import { Random } from "../support/random.ts";

const RATE_HZ = 8_000;
const FRAME_SAMPLES = 160;

describe("the playback clock", () => {
  test("audio is played when it is sent, or after the audio that was sent before", () => {
    const clock = new PlaybackClock(RATE_HZ);
    expect(clock.unplayedMs(callMs(1_000))).toBe(0);
    expect(clock.sent(FRAME_SAMPLES, callMs(1_000))).toBe(1_000);
    expect(clock.sent(FRAME_SAMPLES, callMs(1_000))).toBe(1_020);
    expect(clock.unplayedMs(callMs(1_000))).toBe(40);
    expect(clock.unplayedMs(callMs(1_030))).toBe(10);
    expect(clock.unplayedMs(callMs(2_000))).toBe(0);
  });

  test("after the buffer has run dry, audio plays at once again", () => {
    const clock = new PlaybackClock(RATE_HZ);
    clock.sent(FRAME_SAMPLES, callMs(0));
    expect(clock.sent(FRAME_SAMPLES, callMs(500))).toBe(500);
    expect(clock.unplayedMs(callMs(505))).toBe(15);
  });

  test("after a flush no audio is unplayed, and new audio plays at once", () => {
    const clock = new PlaybackClock(RATE_HZ);
    for (let i = 0; i < 5; i += 1) clock.sent(FRAME_SAMPLES, callMs(0));
    clock.flush(callMs(30));
    expect(clock.unplayedMs(callMs(30))).toBe(0);
    expect(clock.sent(FRAME_SAMPLES, callMs(40))).toBe(40);
  });

  test.each([
    0, 40, 250,
  ])("with a lead of %d ms, frames are due until that much and a late tick are ahead", (leadMs) => {
    const clock = new PlaybackClock(RATE_HZ);
    while (clock.isFrameDue(callMs(0), leadMs)) clock.sent(FRAME_SAMPLES, callMs(0));
    expect(clock.unplayedMs(callMs(0))).toBeGreaterThanOrEqual(leadMs + 1.25 * FRAME_MS);
    expect(clock.unplayedMs(callMs(0))).toBeLessThan(leadMs + 2.5 * FRAME_MS);
  });

  test.each([
    0, 4, 8, 10, 12, 16, 19,
  ])("ticks up to 5 ms early and late send one frame each, with audio that began %d ms after a tick", (beginMs) => {
    const clock = new PlaybackClock(RATE_HZ);
    const framesAt = (nowMs: number): number => {
      let frames = 0;
      for (; clock.isFrameDue(callMs(nowMs), OUTPUT_LEAD_MS); frames += 1) clock.sent(FRAME_SAMPLES, callMs(nowMs));
      return frames;
    };
    framesAt(beginMs);
    // The first tick may send none, where the audio began just before it.
    expect(framesAt(FRAME_MS)).toBeLessThanOrEqual(1);
    const random = new Random(1);
    const counts = Array.from({ length: 1_000 }, (_, tick) => framesAt((tick + 2) * FRAME_MS + random.between(-5, 5)));
    expect(counts.filter((count) => count !== 1)).toEqual([]);
  });

  test("a flush of an empty buffer has no effect", () => {
    const clock = new PlaybackClock(RATE_HZ);
    clock.flush(callMs(10));
    expect(clock.sent(FRAME_SAMPLES, callMs(5))).toBe(5);
  });

  test("sent audio is either played, unplayed or flushed, and counted once", () => {
    const step = fc.record({
      stepMs: fc.double({ min: 0, max: 300, noNaN: true }),
      samples: fc.integer({ min: 0, max: 4_000 }),
      flush: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.array(step), (startMs, steps) => {
        const clock = new PlaybackClock(RATE_HZ);
        let nowMs = startMs;
        let unplayedMs = 0;
        for (const { stepMs, samples, flush } of steps) {
          nowMs += stepMs;
          unplayedMs = Math.max(unplayedMs - stepMs, 0);
          if (flush) {
            clock.flush(callMs(nowMs));
            unplayedMs = 0;
          }
          expect(clock.sent(samples, callMs(nowMs))).toBeCloseTo(nowMs + unplayedMs, 3);
          unplayedMs += (samples * 1_000) / RATE_HZ;
          expect(clock.unplayedMs(callMs(nowMs))).toBeCloseTo(unplayedMs, 3);
        }
      }),
    );
  });

  test("a sender that fills the buffer up to the lead never runs dry in stalls of at most the lead and one frame", () => {
    const stalls = fc.array(fc.double({ min: 1, max: OUTPUT_LEAD_MS + FRAME_MS, noNaN: true }), { minLength: 1 });
    fc.assert(
      fc.property(stalls, (stepsMs) => {
        const clock = new PlaybackClock(RATE_HZ);
        const fill = (nowMs: number): void => {
          while (clock.isFrameDue(callMs(nowMs), OUTPUT_LEAD_MS)) clock.sent(FRAME_SAMPLES, callMs(nowMs));
        };
        let nowMs = 0;
        fill(nowMs);
        for (const stepMs of stepsMs) {
          nowMs += stepMs;
          expect(clock.isDry(callMs(nowMs))).toBe(false);
          fill(nowMs);
          expect(clock.unplayedMs(callMs(nowMs))).toBeLessThan(OUTPUT_LEAD_MS + 3 * FRAME_MS);
        }
      }),
    );
  });

  test("is dry once the last sample has been played", () => {
    const clock = new PlaybackClock(RATE_HZ);
    expect(clock.isDry(callMs(0))).toBe(true);
    clock.sent(FRAME_SAMPLES, callMs(5));
    expect([clock.isDry(callMs(24.9)), clock.isDry(callMs(25))]).toEqual([false, true]);
  });
});
