import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Playout } from "../../../src/call/reply/playout.ts";
import { callMs, elapsedMs } from "../../../src/core/clocks.ts";
import { asTurnId } from "../../../src/core/ids.ts";
import { MARKS_OUTSTANDING_MAX } from "../../../src/core/limits/calls/calls.ts";

const RATE_HZ = 8_000;
const SECOND = RATE_HZ;

describe("playout", () => {
  test("a mark that is returned later than its audio was due moves the clock by half of that", () => {
    const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
    playout.sent(SECOND, callMs(1_000));
    expect(playout.mark(asTurnId(1), 0, callMs(1_000))).toBe("1.0");
    expect(playout.markReturned("1.0", callMs(2_400))).toMatchObject({ turnId: 1, segment: 0 });
    expect(playout.playsUntilMs).toBe(2_200);
  });

  test("a mark after audio that was played long ago is returned at once, and is no lag", () => {
    const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
    playout.sent(SECOND, callMs(1_000));
    expect(playout.mark(asTurnId(1), 0, callMs(9_000))).toBe("1.0");
    playout.markReturned("1.0", callMs(9_050));
    expect(playout.playsUntilMs).toBe(2_025);
  });

  test("C13: a mark that was outstanding when a clear was sent is ignored when it is returned, and no mark counts twice", () => {
    const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
    playout.sent(SECOND, callMs(1_000));
    playout.mark(asTurnId(1), 0, callMs(1_000));
    playout.flush(callMs(1_200));
    expect(playout.markReturned("1.0", callMs(1_900))).toBeUndefined();
    expect(playout.playsUntilMs).toBe(1_200);
    playout.mark(asTurnId(2), 0, callMs(2_000));
    expect(playout.markReturned("2.0", callMs(2_000))).toBeDefined();
    expect(playout.markReturned("2.0", callMs(2_000))).toBeUndefined();
  });

  test("C13: of ten thousand marks that are never returned at most the bound is stored", () => {
    const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
    const names = Array.from({ length: 10_000 }, (_, segment) => playout.mark(asTurnId(1), segment, callMs(0)));
    expect(names.filter((name) => name !== undefined)).toHaveLength(MARKS_OUTSTANDING_MAX);
  });
});

describe("the playback position that the peer reports for a clear", () => {
  /** A second was sent at once, and dropped after 600 ms. */
  function flushed(): Playout {
    const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
    playout.sent(SECOND, callMs(1_000));
    playout.flush(callMs(1_600));
    return playout;
  }

  test("moves the clock by half of the difference", () => {
    const playout = flushed();
    playout.cleared(200);
    playout.sent(SECOND, callMs(5_000));
    expect(playout.playsUntilMs).toBe(6_200);
    expect(playout.unplayedMs(callMs(5_500))).toBe(700);
  });

  test("counts the whole call: the next one continues from the reported position, not from the assumed one", () => {
    const playout = flushed();
    playout.cleared(200);
    playout.sent(SECOND, callMs(5_000));
    playout.flush(callMs(5_500));
    // 500 ms more were played, 400 of which were not reported: by our own count it plays 100 ms late.
    playout.cleared(600);
    playout.sent(SECOND, callMs(9_000));
    expect(playout.playsUntilMs).toBe(10_000 + (200 + 100) / 2);
  });

  test("is limited to what was sent, and moves no clock ahead", () => {
    const playout = flushed();
    playout.cleared(1e308);
    playout.sent(SECOND, callMs(5_000));
    expect(playout.playsUntilMs).toBe(6_000);
    playout.flush(callMs(5_500));
    // All of the first second and half of the second were sent, or believed to have been.
    playout.cleared(1_500);
    playout.sent(SECOND, callMs(9_000));
    expect(playout.playsUntilMs).toBe(10_000);
  });

  test("is ignored when nothing was dropped, and the second time", () => {
    const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
    playout.sent(SECOND, callMs(1_000));
    playout.cleared(0);
    expect(playout.playsUntilMs).toBe(2_000);
    const reported = flushed();
    reported.cleared(600);
    reported.cleared(0);
    reported.sent(SECOND, callMs(5_000));
    expect(reported.playsUntilMs).toBe(6_000);
  });

  test("moves the clock by at most a second, whatever it is and however often it comes", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(100_000), fc.double({ min: 0, noNaN: true })), { maxLength: 30 }),
        (positions) => {
          const playout = new Playout(RATE_HZ, Number.POSITIVE_INFINITY);
          let nowMs = 0;
          for (const [samples, playedMs] of positions) {
            playout.sent(samples, callMs(nowMs));
            const lateMs = elapsedMs(playout.playsUntilMsMin, playout.playsUntilMs);
            expect(lateMs).toBeGreaterThanOrEqual(0);
            expect(lateMs).toBeLessThanOrEqual(1_000);
            nowMs += 500;
            playout.flush(callMs(nowMs));
            playout.cleared(playedMs);
          }
        },
      ),
    );
  });
});
