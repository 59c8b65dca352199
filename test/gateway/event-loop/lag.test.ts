import { expect, test } from "vitest";
import { systemClock } from "../../../src/core/clock.ts";
import {
  LOOP_LAG_MS_MAX,
  LOOP_LAG_SAMPLE_MS,
  LOOP_LAG_WINDOW_MS,
  WEBRTC_LOOP_LAG_MS_MAX,
} from "../../../src/core/limits/service/admission.ts";
import { type LoopDelayHistogram, LoopLag } from "../../../src/gateway/event-loop/lag.ts";
import { loopLagMsMaxOf } from "../../../src/store/admission/capacity.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { memoryLog } from "../../support/memory-log.ts";

/**
 * A histogram of a loop that lags as the script says, one window after the other, ms. Undefined: no sample was taken.
 */
class ScriptedLooks implements LoopDelayHistogram {
  readonly #lagsMs: (number | undefined)[];
  #now: number | undefined;

  constructor(lagsMs: (number | undefined)[]) {
    this.#lagsMs = lagsMs;
  }

  get count(): number {
    return this.#now === undefined ? 0 : 200;
  }

  percentile(): number {
    return ((this.#now ?? Number.NaN) + LOOP_LAG_SAMPLE_MS) * 1e6;
  }

  reset(): void {
    this.#now = this.#lagsMs.shift();
  }
}

/** The reported delay after each window. */
function reported(lagsMs: (number | undefined)[], log = memoryLog().log, loopLagMsMax = LOOP_LAG_MS_MAX): number[] {
  const clock = new ManualClock();
  const lag = new LoopLag(new ScriptedLooks([...lagsMs]), { clock, log, loopLagMsMax });
  return lagsMs.map(() => {
    clock.advance(LOOP_LAG_WINDOW_MS);
    return lag.ms;
  });
}

test("D11: one bad second is no event-loop delay, two within three are", () => {
  expect(reported([0, 90, 0, 0, 60, 0, 80, 0, 0])).toEqual([0, 0, 0, 0, 0, 0, 60, 0, 0]);
});

test("D11: a lasting delay is reported at its value, and for as long as it lasts", () => {
  expect(reported([40, 40, 70, 70, 70, 2, 2])).toEqual([0, 40, 40, 70, 70, 70, 2]);
});

test("D8: a loop without a sample for a whole second was blocked", () => {
  expect(reported([undefined, undefined, 0, 0])).toEqual([0, LOOP_LAG_WINDOW_MS, LOOP_LAG_WINDOW_MS, 0]);
});

test("D11: the log says once that the loop lags, and once that it no longer does", () => {
  const { log, lines } = memoryLog();
  reported([90, 90, 90, 90, 0, 0, 0], log);
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { msg: "event loop lags: this worker is offered only a few more calls", loopLagMs: 90 },
    { msg: "event loop no longer lags", loopLagMs: 0 },
  ]);
});

test("the log follows the limit of the worker's role", () => {
  const { log, lines } = memoryLog();
  const between = (LOOP_LAG_MS_MAX + WEBRTC_LOOP_LAG_MS_MAX) / 2;
  reported([between, between, between], log, loopLagMsMaxOf("media"));
  expect(lines).toEqual([]);
  reported([between, between, between], log, loopLagMsMaxOf("webrtc"));
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ loopLagMs: between }]);
});

test("samples that come slightly early are no delay, and the delay is never negative", () => {
  expect(reported([-1, -1])).toEqual([0, 0]);
});

test("a real loop that is blocked repeatedly is detected", async () => {
  const lag = LoopLag.monitor({ clock: systemClock, log: memoryLog().log, loopLagMsMax: LOOP_LAG_MS_MAX });
  const untilMs = performance.now() + 2.3 * LOOP_LAG_WINDOW_MS;
  while (performance.now() < untilMs) {
    const busyMs = performance.now() + 80;
    while (performance.now() < busyMs);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(lag.ms).toBeGreaterThan(50);
}, 20_000);
