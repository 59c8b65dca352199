import type { Clock } from "../../core/clock.ts";
import { providerFailed, type TrunklineError } from "../../core/errors.ts";
import { CIRCUIT_BREAKER_FAILURES_MAX, CIRCUIT_BREAKER_PROBE_MS } from "../../core/limits/providers.ts";
import type { Stage } from "../../core/metrics/worker-metrics.ts";
import { isRequestError, SKIPPED } from "./provider-error.ts";

/** Told of what providers do, whether or not another one, or another try, makes up for it. */
export interface CircuitBreakerObserver {
  /** There is such a provider, and calls may come to need it. */
  registered(engine: Stage, provider: string): void;
  failed(engine: Stage, provider: string, error: unknown): void;
  /** It has failed too often in a row and is left alone but for a probe now and then; or it answers again. */
  circuitChanged(engine: Stage, provider: string, isLeftAlone: boolean): void;
}

/** One stream of a provider. */
export interface StreamPermit {
  /** It told something that it was asked for: the provider is well. */
  succeeded(): void;
  failed(error: unknown): void;
  /** It is over, whatever became of it; once more is nothing. */
  release(): void;
}

export interface CircuitBreakerOptions {
  stage: Stage;
  provider: string;
  /** Streams it may have at once. */
  streamsMax: number;
  clock: Clock;
  observer: CircuitBreakerObserver;
}

/**
 * Who may open a stream to one provider, of all calls of the process: no more at once than are paid for, and none but a probe now
 * and then while it fails (a circuit breaker).
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #streams = 0;
  #consecutiveFailures = 0;
  /** Failures that were counted, ever: streams that were open at one of them tell nothing new by theirs. */
  #failureCount = 0;
  /** The next probe may be sent then. */
  #nextProbeMs = 0;

  constructor(options: CircuitBreakerOptions) {
    this.#options = options;
    options.observer.registered(options.stage, options.provider);
  }

  get provider(): string {
    return this.#options.provider;
  }

  /** Whether a stream may be opened now. */
  get isAvailable(): boolean {
    return (
      this.#streams < this.#options.streamsMax && !(this.#isOpen && this.#options.clock.nowMs() < this.#nextProbeMs)
    );
  }

  /** A stream, if one may be opened now; it must `leave` in the end. */
  tryAcquire(): StreamPermit | undefined {
    if (!this.isAvailable) return undefined;
    // A probe that hangs keeps nobody from the next.
    if (this.#isOpen) this.#nextProbeMs = this.#options.clock.nowMs() + CIRCUIT_BREAKER_PROBE_MS;
    const incidents = this.#failureCount;
    let isOver = false;
    this.#streams += 1;
    return {
      succeeded: () => this.#onSuccess(incidents),
      failed: (error) => this.#onFailure(error, incidents),
      release: () => {
        if (!isOver) this.#streams -= 1;
        isOver = true;
      },
    };
  }

  /** What those are told who may not. */
  unavailableError(): TrunklineError {
    const { provider, streamsMax } = this.#options;
    const isFull = this.#streams >= streamsMax;
    const what = isFull ? "stream limit reached" : "circuit breaker is open";
    return providerFailed(provider, what, SKIPPED);
  }

  get #isOpen(): boolean {
    return this.#consecutiveFailures >= CIRCUIT_BREAKER_FAILURES_MAX;
  }

  /** What a stream tells that was open at the last failure is older than that. */
  #onSuccess(incidents: number): void {
    const { stage, provider, observer } = this.#options;
    if (incidents !== this.#failureCount) return;
    const wasLeftAlone = this.#isOpen;
    this.#consecutiveFailures = 0;
    if (wasLeftAlone) observer.circuitChanged(stage, provider, false);
  }

  /** A program that dies takes all its streams with it, which is one failure; what is said of a request is none. */
  #onFailure(error: unknown, incidents: number): void {
    const { stage, provider, clock, observer } = this.#options;
    observer.failed(stage, provider, error);
    if (incidents !== this.#failureCount || isRequestError(error)) return;
    const wasLeftAlone = this.#isOpen;
    this.#failureCount += 1;
    this.#consecutiveFailures += 1;
    if (!this.#isOpen) return;
    this.#nextProbeMs = clock.nowMs() + CIRCUIT_BREAKER_PROBE_MS;
    if (!wasLeftAlone) observer.circuitChanged(stage, provider, true);
  }
}
