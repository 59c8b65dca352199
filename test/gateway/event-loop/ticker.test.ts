import { describe, expect, test } from "vitest";
import type { Clock } from "../../../src/core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs, monotonicMs } from "../../../src/core/clocks.ts";
import { Ticker } from "../../../src/gateway/event-loop/ticker.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** Something tickable, and when it was ticked. */
class Recorder {
  readonly ticksMs: MonotonicMs[] = [];
  readonly caughtUpMs: MonotonicMs[] = [];
  tick(dueMs: MonotonicMs): void {
    this.ticksMs.push(dueMs);
  }
  catchUp(dueMs: MonotonicMs): void {
    this.caughtUpMs.push(dueMs);
  }
}

const gaps = (times: readonly MonotonicMs[]): number[] =>
  times.slice(1).map((time, index) => elapsedMs(times[index] ?? monotonicMs(0), time));

describe("the ticker", () => {
  test("ticks everything every 20 ms, at absolute times that do not drift", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorder = new Recorder();
    ticker.add(recorder);
    clock.advance(600_000);
    expect(recorder.ticksMs).toHaveLength(30_000);
    expect(new Set(gaps(recorder.ticksMs))).toEqual(new Set([20]));
  });

  test("spreads what is added over ten phases, so that not all are due at once", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorders = Array.from({ length: 30 }, () => new Recorder());
    for (const recorder of recorders) ticker.add(recorder);
    clock.advance(20);
    const perMoment = new Map<MonotonicMs, number>();
    for (const { ticksMs } of recorders) {
      for (const atMs of ticksMs) perMoment.set(atMs, (perMoment.get(atMs) ?? 0) + 1);
    }
    expect([...perMoment.values()]).toEqual(Array(10).fill(3));
  });

  test("wakes the process every 20 ms for a single call, and not for empty slots", () => {
    const clock = new ManualClock();
    let timers = 0;
    const counting: Clock = {
      nowMs: () => clock.nowMs(),
      epochMs: () => clock.epochMs(),
      after(delayMs, task) {
        timers += 1;
        return clock.after(delayMs, task);
      },
    };
    const ticker = new Ticker(counting);
    let ticks = 0;
    ticker.add({ tick: () => (ticks += 1), catchUp: () => {} });
    clock.advance(1_000);
    expect([ticks, ticker.skippedSlots]).toEqual([50, 0]);
    expect(timers).toBeLessThanOrEqual(51);
    let late = 0;
    ticker.add({ tick: () => (late += 1), catchUp: () => {} });
    clock.advance(1_000);
    expect([ticks, ticker.skippedSlots]).toEqual([100, 0]);
    expect(late).toBeGreaterThanOrEqual(49);
  });

  test("does not tick what was removed, and leaves no timer when it is empty", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorder = new Recorder();
    const remove = ticker.add(recorder);
    clock.advance(100);
    remove();
    remove();
    const before = recorder.ticksMs.length;
    clock.advance(1_000);
    expect(recorder.ticksMs).toHaveLength(before);
    ticker.add(recorder);
    clock.advance(100);
    expect(recorder.ticksMs).toHaveLength(before + 5);
  });

  test("ticks each once after a stall, skips and counts the missed ticks, and keeps the phase", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorder = new Recorder();
    ticker.add(recorder);
    clock.advance(100);
    const lastMs = recorder.ticksMs.at(-1) ?? monotonicMs(0);
    clock.stall(1_000);
    clock.advance(40);
    const after = recorder.ticksMs.filter((atMs) => atMs > lastMs);
    expect(after.length).toBeLessThanOrEqual(4);
    expect(ticker.skippedSlots).toBeGreaterThan(400);
    expect(elapsedMs(lastMs, after.at(-1) ?? monotonicMs(Number.NaN)) % 20).toBe(0);
  });

  test("after a stall catches up everything that was due, the longest overdue first, and then ticks as before", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const order: number[] = [];
    const recorders = Array.from({ length: 10 }, () => new Recorder());
    for (const [index, recorder] of recorders.entries()) {
      ticker.add({
        tick: (dueMs) => recorder.tick(dueMs),
        catchUp: (dueMs) => {
          order.push(index);
          recorder.catchUp(dueMs);
        },
      });
    }
    // The slots of 102, 104 and 106 ms have run: that of the fourth is next.
    clock.advance(106);
    clock.stall(13);
    ticker.catchUp(clock.nowMs());
    expect(order).toEqual([3, 4, 5, 6, 7, 8]);
    expect(recorders.map(({ caughtUpMs }) => caughtUpMs[0])).toEqual([
      ...Array(3).fill(undefined),
      ...[108, 110, 112, 114, 116, 118],
      undefined,
    ]);
    clock.advance(0);
    expect(recorders.map(({ ticksMs }) => ticksMs.length)).toEqual([6, 6, 6, 6, 6, 6, 6, 6, 6, 5]);
  });

  test("catches up once until the timer has run, however many messages follow the stall, and not after a turn that was merely long", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorder = new Recorder();
    const remove = ticker.add(recorder);
    clock.advance(100);
    clock.stall(11);
    ticker.catchUp(clock.nowMs());
    expect(recorder.caughtUpMs).toEqual([]);
    clock.stall(1);
    for (let message = 0; message < 9; message += 1) {
      ticker.catchUp(clock.nowMs());
      clock.stall(1);
    }
    expect(recorder.caughtUpMs).toEqual([102]);
    clock.stall(100);
    ticker.catchUp(clock.nowMs());
    expect(recorder.caughtUpMs).toEqual([102]);
    clock.advance(0);
    clock.stall(100);
    ticker.catchUp(clock.nowMs());
    expect(recorder.caughtUpMs).toHaveLength(2);
    remove();
    ticker.catchUp(addMs(clock.nowMs(), 100));
    expect(recorder.caughtUpMs).toHaveLength(2);
  });

  test("catches up the last one of the ticks that a stall has skipped", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorder = new Recorder();
    ticker.add(recorder);
    clock.advance(100);
    clock.stall(95);
    ticker.catchUp(clock.nowMs());
    expect(recorder.caughtUpMs).toEqual([182]);
  });

  test("counts how late each occupied slot began", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    ticker.add(new Recorder());
    clock.advance(1_000);
    expect([ticker.lateness.cumulativeCounts[0], ticker.lateness.cumulativeCounts.at(-1)]).toEqual([50, 50]);
    // The next one is due within the stall, 5 ms before its end.
    clock.stall(7);
    clock.advance(10);
    expect([ticker.lateness.cumulativeCounts.at(-1), ticker.lateness.sumMs]).toEqual([51, 5]);
  });

  test("leaves the others undisturbed when one removes another within its tick", () => {
    const clock = new ManualClock();
    const ticker = new Ticker(clock);
    const recorder = new Recorder();
    const remove = ticker.add({
      tick: () => {
        remove();
      },
      catchUp: () => {},
    });
    ticker.add(recorder);
    clock.advance(200);
    expect(recorder.ticksMs).toHaveLength(10);
  });
});
