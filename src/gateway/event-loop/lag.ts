import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../../core/clock.ts";
import { LOOP_LAG_SAMPLE_MS, LOOP_LAG_WINDOW_MS } from "../../core/limits/service/admission.ts";
import type { Logger } from "../../core/log/logger.ts";

/** The histogram of `monitorEventLoopDelay` of node:perf_hooks: the times between two samples of the loop, ns. */
export interface LoopDelayHistogram {
  readonly count: number;
  percentile(percentile: number): number;
  reset(): void;
}

export interface LoopLagOptions {
  clock: Clock;
  log: Logger;
  /** More is lag, which is logged. */
  loopLagMsMax: number;
  /** Called with the delay after each window of LOOP_LAG_WINDOW_MS. */
  onMeasured?: (loopLagMs: number) => void;
}

/** How many windows are compared. */
const WINDOWS = 3;

/**
 * The event-loop delay of this process: the second highest of the 99th percentiles of the last three one-second
 * windows. One second spoiled by a garbage collection or another program does not count as delay; two in a row do.
 */
export class LoopLag {
  readonly #delays: LoopDelayHistogram;
  readonly #options: LoopLagOptions;
  readonly #windowsMs: number[] = Array<number>(WINDOWS).fill(0);
  #nextWindow = 0;
  #isLagging = false;

  /**
   * Monitors the loop of this process from now on, and logs when the delay exceeds the limit and when it no longer
   * does.
   */
  static monitor(options: LoopLagOptions): LoopLag {
    const delays = monitorEventLoopDelay({ resolution: LOOP_LAG_SAMPLE_MS });
    delays.enable();
    return new LoopLag(delays, options);
  }

  constructor(delays: LoopDelayHistogram, options: LoopLagOptions) {
    this.#delays = delays;
    this.#options = options;
    this.#startWindow();
  }

  /** Never negative; 0 until the first two windows are complete. */
  get ms(): number {
    return [...this.#windowsMs].sort((a, b) => b - a)[1] ?? 0;
  }

  #startWindow(): void {
    this.#delays.reset();
    this.#options.clock.after(LOOP_LAG_WINDOW_MS, () => {
      // A loop that was blocked for the whole window has no samples in it.
      this.#windowsMs[this.#nextWindow] = this.#delays.count === 0 ? LOOP_LAG_WINDOW_MS : this.#p99Ms();
      this.#nextWindow = (this.#nextWindow + 1) % WINDOWS;
      this.#logChange(this.ms);
      this.#options.onMeasured?.(this.ms);
      this.#startWindow();
    });
  }

  #logChange(loopLagMs: number): void {
    const lags = loopLagMs > this.#options.loopLagMsMax;
    if (lags === this.#isLagging) return;
    this.#isLagging = lags;
    const { log } = this.#options;
    if (lags) log.warn({ loopLagMs }, "event loop lags: this worker is offered only a few more calls");
    else log.info({ loopLagMs }, "event loop no longer lags");
  }

  /** The histogram holds the time between two samples; the delay is what exceeds the requested interval. */
  #p99Ms(): number {
    return Math.max(0, this.#delays.percentile(99) / 1e6 - LOOP_LAG_SAMPLE_MS);
  }
}
