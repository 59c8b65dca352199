import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import type { TimeHistogram } from "../../core/metrics/histogram.ts";
import type { Ticker } from "../event-loop/ticker.ts";
import type { CallCounters } from "../metrics/call-counters.ts";
import type { TransportListener } from "../transport/transport.ts";

export interface TimedLegOptions {
  leg: TransportListener;
  counters: CallCounters;
  clock: Clock;
  ticker: Pick<Ticker, "catchUp">;
  /** Of the process. */
  addedLatencyIn: TimeHistogram;
}

/**
 * Measures the added latency of a leg's inbound frames, for the process and for its call. It excludes the time that a
 * message waited in the kernel while the event loop was busy; the event-loop delay shows that. Allocates nothing.
 */
export class TimedLeg implements TransportListener {
  readonly #options: TimedLegOptions;

  constructor(options: TimedLegOptions) {
    this.#options = options;
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const { leg, counters, clock, ticker, addedLatencyIn } = this.#options;
    const startMs = clock.nowMs();
    ticker.catchUp(startMs);
    const before = counters.framesIn;
    leg.message(bytes, isBinary);
    if (counters.framesIn === before) return;
    const durationMs = elapsedMs(startMs, clock.nowMs());
    addedLatencyIn.observe(durationMs);
    if (durationMs > counters.addedLatencyInMaxMs) counters.addedLatencyInMaxMs = durationMs;
  }

  pinged(): void {
    this.#options.leg.pinged();
  }

  ponged(): void {
    this.#options.leg.ponged();
  }

  closed(code: number, violated: boolean): void {
    this.#options.leg.closed(code, violated);
  }
}
