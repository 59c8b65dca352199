import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import type { TimeHistogram } from "../../core/metrics/histogram.ts";
import type { Tickable } from "../event-loop/ticker.ts";
import type { CallCounters } from "../metrics/call-counters.ts";

/** A call that can be ticked. */
export interface TickedCall {
  tick(): void;
  catchUp(): void;
}

export interface TimedCallOptions {
  call: TickedCall;
  counters: CallCounters;
  clock: Clock;
  /** Of the process. */
  addedLatencyOut: TimeHistogram;
}

/**
 * Measures the added latency of a call's outbound frames, for the process and for the call. It excludes frames that are
 * sent as soon as audio becomes ready: they were not due before. Allocates nothing.
 */
export class TimedCall implements Tickable {
  readonly #options: TimedCallOptions;

  constructor(options: TimedCallOptions) {
    this.#options = options;
  }

  tick(dueMs: MonotonicMs): void {
    const { call, counters } = this.#options;
    const before = counters.framesOut;
    call.tick();
    this.#observe(before, dueMs);
  }

  catchUp(dueMs: MonotonicMs): void {
    const { call, counters } = this.#options;
    const before = counters.framesOut;
    call.catchUp();
    this.#observe(before, dueMs);
  }

  #observe(framesBefore: number, dueMs: MonotonicMs): void {
    const { counters, clock, addedLatencyOut } = this.#options;
    if (counters.framesOut === framesBefore) return;
    const durationMs = elapsedMs(dueMs, clock.nowMs());
    addedLatencyOut.observe(durationMs);
    if (durationMs > counters.addedLatencyOutMaxMs) counters.addedLatencyOutMaxMs = durationMs;
  }
}
