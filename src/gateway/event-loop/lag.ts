import { monitorEventLoopDelay } from "node:perf_hooks";
import type { Clock } from "../../core/clock.ts";
import { LOOP_LAG_MS_MAX, LOOP_LAG_SAMPLE_MS, LOOP_LAG_WINDOW_MS } from "../../core/limits/admission.ts";
import type { Logger } from "../../core/log/logger.ts";

/** What `monitorEventLoopDelay` of node:perf_hooks gives: the times between two looks at the loop, ns. */
export interface LoopDelayHistogram {
  readonly count: number;
  percentile(percentile: number): number;
  reset(): void;
}

/** So many windows are looked at together. */
const WINDOWS = 3;

/**
 * How late the event loop of this process comes round: of the last three seconds the second worst, each told by its 99th
 * percentile. So one second that a pause of the collector or another program has spoiled is no lag, and two in a row are.
 */
export class LoopLag {
  readonly #delays: LoopDelayHistogram;
  readonly #clock: Clock;
  readonly #windowsMs: number[] = Array<number>(WINDOWS).fill(0);
  readonly #log: Logger;
  #nextWindow = 0;
  #isLagging = false;

  /** Watches the loop of this process from here on, and logs when it begins to lag by too much, and when it no longer does. */
  static monitor(clock: Clock, log: Logger): LoopLag {
    const looks = monitorEventLoopDelay({ resolution: LOOP_LAG_SAMPLE_MS });
    looks.enable();
    return new LoopLag(looks, clock, log);
  }

  constructor(looks: LoopDelayHistogram, clock: Clock, log: Logger) {
    this.#delays = looks;
    this.#clock = clock;
    this.#log = log;
    this.#startWindow();
  }

  /** Below zero never; until the first two windows are over, 0. */
  get ms(): number {
    return [...this.#windowsMs].sort((a, b) => b - a)[1] ?? 0;
  }

  #startWindow(): void {
    this.#delays.reset();
    this.#clock.after(LOOP_LAG_WINDOW_MS, () => {
      // A loop that was stuck for all of the window was not looked at in it.
      this.#windowsMs[this.#nextWindow] = this.#delays.count === 0 ? LOOP_LAG_WINDOW_MS : this.#p99Ms();
      this.#nextWindow = (this.#nextWindow + 1) % WINDOWS;
      this.#logChange(this.ms);
      this.#startWindow();
    });
  }

  #logChange(loopLagMs: number): void {
    const lags = loopLagMs > LOOP_LAG_MS_MAX;
    if (lags === this.#isLagging) return;
    this.#isLagging = lags;
    if (lags) this.#log.warn({ loopLagMs }, "event loop lags: this worker is offered only a few more calls");
    else this.#log.info({ loopLagMs }, "event loop no longer lags");
  }

  /** What is told is the time between two looks; the lag is what lies beyond that which was asked for. */
  #p99Ms(): number {
    return Math.max(0, this.#delays.percentile(99) / 1e6 - LOOP_LAG_SAMPLE_MS);
  }
}
