import { describe, expect, test } from "vitest";
import { epochMs, type MonotonicMs, millisecondsOf, monotonicMs } from "../../../src/core/clocks.ts";
import { TimeHistogram } from "../../../src/core/metrics/histogram.ts";
import { TimedCall } from "../../../src/gateway/leg/timed-call.ts";
import { TimedLeg } from "../../../src/gateway/leg/timed-leg.ts";
import { CallCounters } from "../../../src/gateway/metrics/call-counters.ts";
import { heapBytesPerRun } from "../../support/heap.ts";

/** A leg that counts frames as the test sets it to, and takes the time that the test sets. */
function timed() {
  const now = { ms: 1_000.25 };
  const clock = { nowMs: () => monotonicMs(now.ms), epochMs: () => epochMs(now.ms), after: () => () => {} };
  const counts = new CallCounters();
  const added = { in: new TimeHistogram(), out: new TimeHistogram() };
  const next = { framesIn: 0, framesOut: 0, tookMs: 0 };
  const closings: [number, boolean][] = [];
  const askedMs: number[] = [];
  const ticker = { catchUp: (nowMs: MonotonicMs) => void askedMs.push(millisecondsOf(nowMs)) };
  const work = (): void => {
    counts.framesIn += next.framesIn;
    counts.framesOut += next.framesOut;
    now.ms += next.tookMs;
  };
  const leg = new TimedLeg({
    leg: {
      message: work,
      pinged: () => {},
      ponged: () => {},
      closed: (code, violated) => closings.push([code, violated]),
    },
    counters: counts,
    clock,
    ticker,
    addedLatencyIn: added.in,
  });
  const call = new TimedCall({
    call: { tick: work, catchUp: work },
    counters: counts,
    clock,
    addedLatencyOut: added.out,
  });
  return { leg, call, now, next, counts, added, closings, askedMs };
}

const BYTES = new Uint8Array(1);
const countOf = (times: TimeHistogram): number => times.cumulativeCounts.at(-1) ?? Number.NaN;

describe("added latency", () => {
  test("inbound is the time from a message until its consumers have its frames", () => {
    const { leg, next, counts, added } = timed();
    for (const [framesIn, tookMs] of [
      [1, 0.3],
      [50, 4],
      [1, 0.1],
    ] as const) {
      Object.assign(next, { framesIn, tookMs });
      leg.message(BYTES, true);
    }
    expect([countOf(added.in), countOf(added.out)]).toEqual([3, 0]);
    expect(added.in.sumMs).toBeCloseTo(4.4);
    expect(counts.addedLatencyInMaxMs).toBeCloseTo(4);
    expect(counts.addedLatencyOutMaxMs).toBe(0);
  });

  test("outbound is the time from when the frame was due until it was sent, including event-loop delay", () => {
    const { call, now, next, counts, added } = timed();
    Object.assign(next, { framesOut: 1, tookMs: 0.5 });
    call.tick(monotonicMs(now.ms - 7));
    expect([countOf(added.in), countOf(added.out)]).toEqual([0, 1]);
    expect(added.out.sumMs).toBeCloseTo(7.5);
    expect(counts.addedLatencyOutMaxMs).toBeCloseTo(7.5);
    call.catchUp(monotonicMs(now.ms - 90));
    expect(counts.addedLatencyOutMaxMs).toBeCloseTo(90.5);
  });

  test("is not measured for a message without audio, nor for a tick in which nothing was due", () => {
    const { leg, call, now, next, added } = timed();
    next.tookMs = 5;
    leg.message(BYTES, false);
    call.tick(monotonicMs(now.ms));
    expect([countOf(added.in), countOf(added.out)]).toEqual([0, 0]);
  });

  test("leaves nothing on the heap", () => {
    const { leg, call, now, next } = timed();
    Object.assign(next, { framesIn: 1, framesOut: 1, tookMs: 0.01 });
    const bytes = heapBytesPerRun(() => {
      leg.message(BYTES, true);
      call.tick(monotonicMs(now.ms - 0.5));
    }, 200);
    // Times that are passed on are boxed where the compiler does not inline: a few, and no object.
    expect(bytes).toBeLessThan(150);
  });
});

test("a message lets all calls catch up first, if the loop stalled before it came", () => {
  const { leg, now, next, askedMs } = timed();
  next.tookMs = 5;
  const cameMs = now.ms;
  leg.message(BYTES, true);
  expect(askedMs).toEqual([cameMs]);
});

test("the end of the socket is passed to the leg unchanged", () => {
  const { leg, closings } = timed();
  leg.closed(1_006, true);
  expect(closings).toEqual([[1_006, true]]);
});
