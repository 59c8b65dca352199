import { expect, test } from "vitest";
import { millisecondsOf } from "../../../src/core/clocks.ts";
import { Reloads } from "../../../web/dashboard/app/reloads.ts";
import { ManualClock } from "../../support/manual-clock.ts";

/** A first load that runs, and the times at which others begin. */
function loaded() {
  const clock = new ManualClock();
  const begunMs: number[] = [];
  const nowMs = (): number => millisecondsOf(clock.nowMs());
  const after = clock.after.bind(clock);
  const reloads = new Reloads(() => begunMs.push(nowMs()), { nowMs, after });
  return { clock, begunMs, reloads };
}

test("what hundreds of events make stale while it loads is loaded once more, when that load is over", () => {
  const { clock, begunMs, reloads } = loaded();
  for (let event = 0; event < 300; event += 1) reloads.ask();
  clock.advance(5_000);
  expect(begunMs).toEqual([]);
  reloads.settled();
  expect(begunMs).toEqual([5_000]);
  reloads.settled();
  clock.advance(5_000);
  expect(begunMs).toEqual([5_000]);
});

test("events that keep coming load once a second, and the last of them counts", () => {
  const { clock, begunMs, reloads } = loaded();
  reloads.settled();
  for (let event = 0; event < 30; event += 1) {
    reloads.ask();
    if (event % 2 === 0) reloads.settled();
    clock.advance(100);
  }
  reloads.settled();
  clock.advance(5_000);
  expect(begunMs).toEqual([1_000, 2_000, 3_000]);
});

test("a closed page loads nothing more", () => {
  const { clock, begunMs, reloads } = loaded();
  reloads.settled();
  reloads.ask();
  reloads.close();
  reloads.ask();
  clock.advance(5_000);
  expect([begunMs, clock.pending]).toEqual([[], 0]);
});
