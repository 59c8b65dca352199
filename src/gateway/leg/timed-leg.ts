import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import type { AddedLatency } from "../../core/metrics/worker-readings.ts";
import type { Tickable, Ticker } from "../event-loop/ticker.ts";
import type { CallCounters, CallReading } from "../metrics/call-counters.ts";
import type { TransportListener } from "../transport/transport.ts";

/** A call that can be ticked, and that reports its counters. */
export interface TimeableCall {
  tick(): void;
  catchUp(): void;
  read(): Pick<CallReading, "counts">;
}

/**
 * Measures the added latency of a leg's frames, for the process and for its call. It excludes the time that a message
 * waited in the kernel while the event loop was busy; the event-loop delay shows that. It also excludes frames that are
 * sent as soon as audio becomes ready: they were not due before. Allocates nothing.
 */
export class TimedLeg implements TransportListener, Tickable {
  readonly #leg: TransportListener;
  readonly #call: TimeableCall;
  readonly #clock: Clock;
  readonly #ticker: Pick<Ticker, "catchUp">;
  readonly #process: AddedLatency;
  readonly #counters: CallCounters;

  constructor(
    leg: TransportListener,
    call: TimeableCall,
    clock: Clock,
    ticker: Pick<Ticker, "catchUp">,
    process: AddedLatency,
  ) {
    this.#leg = leg;
    this.#call = call;
    this.#clock = clock;
    this.#ticker = ticker;
    this.#process = process;
    this.#counters = call.read().counts;
  }

  message(bytes: Uint8Array, isBinary: boolean): void {
    const counters = this.#counters;
    const startMs = this.#clock.nowMs();
    this.#ticker.catchUp(startMs);
    const before = counters.framesIn;
    this.#leg.message(bytes, isBinary);
    if (counters.framesIn === before) return;
    const durationMs = elapsedMs(startMs, this.#clock.nowMs());
    this.#process.in.observe(durationMs);
    if (durationMs > counters.addedLatencyInMaxMs) counters.addedLatencyInMaxMs = durationMs;
  }

  tick(dueMs: MonotonicMs): void {
    const before = this.#counters.framesOut;
    this.#call.tick();
    this.#observeOut(before, dueMs);
  }

  catchUp(dueMs: MonotonicMs): void {
    const before = this.#counters.framesOut;
    this.#call.catchUp();
    this.#observeOut(before, dueMs);
  }

  #observeOut(framesBefore: number, dueMs: MonotonicMs): void {
    const counters = this.#counters;
    if (counters.framesOut === framesBefore) return;
    const durationMs = elapsedMs(dueMs, this.#clock.nowMs());
    this.#process.out.observe(durationMs);
    if (durationMs > counters.addedLatencyOutMaxMs) counters.addedLatencyOutMaxMs = durationMs;
  }

  pinged(): void {
    this.#leg.pinged();
  }

  ponged(): void {
    this.#leg.ponged();
  }

  closed(code: number, violated: boolean): void {
    this.#leg.closed(code, violated);
  }
}
