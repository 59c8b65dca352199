import type { Stage } from "../../core/calls/stages.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, monotonicMs } from "../../core/clocks.ts";
import { providerFailed, type TrunklineError } from "../../core/errors.ts";
import {
  CIRCUIT_BREAKER_FAILURES_MAX,
  CIRCUIT_BREAKER_PROBE_MS,
} from "../../core/limits/speech-providers/providers.ts";
import { isRequestError, SKIPPED } from "./provider-error.ts";

/** Observes all providers, also where a retry or a fallback makes up for a failure. */
export interface CircuitBreakerObserver {
  /** The provider is configured, and calls may use it. */
  registered(stage: Stage, provider: string): void;
  failed(stage: Stage, provider: string, error: unknown): void;
  /** The circuit breaker opened after too many consecutive failures, or closed again. */
  circuitChanged(stage: Stage, provider: string, isOpen: boolean): void;
}

/** Permission for one stream of a provider. */
export interface StreamPermit {
  /** The stream delivered content: the provider works. */
  succeeded(): void;
  failed(error: unknown): void;
  /** The stream is over, with any outcome. Further calls have no effect. */
  release(): void;
}

interface CircuitBreakerOptions {
  stage: Stage;
  provider: string;
  /** The most concurrent streams. */
  streamsMax: number;
  clock: Clock;
  observer: CircuitBreakerObserver;
}

/**
 * Limits the streams of all calls of the process to one provider: at most `streamsMax` at once, and while the provider
 * keeps failing only a probe at intervals (a circuit breaker).
 */
export class CircuitBreaker {
  readonly #options: CircuitBreakerOptions;
  #streams = 0;
  #consecutiveFailures = 0;
  /** All failures counted so far. A stream that was open at a counted failure proves nothing new by its own outcome. */
  #failureCount = 0;
  /** The time of the next permitted probe. */
  #nextProbeMs = monotonicMs(0);

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

  /** A permit, if a stream may be opened now; its owner must call `release` in the end. */
  tryAcquire(): StreamPermit | undefined {
    if (!this.isAvailable) return undefined;
    // A hanging probe does not block the next one.
    if (this.#isOpen) this.#nextProbeMs = addMs(this.#options.clock.nowMs(), CIRCUIT_BREAKER_PROBE_MS);
    const failureCount = this.#failureCount;
    let isReleased = false;
    this.#streams += 1;
    return {
      succeeded: () => this.#onSuccess(failureCount),
      failed: (error) => this.#onFailure(error, failureCount),
      release: () => {
        if (!isReleased) this.#streams -= 1;
        isReleased = true;
      },
    };
  }

  /** The error for a stream that may not be opened. */
  unavailableError(): TrunklineError {
    const { provider, streamsMax } = this.#options;
    const isFull = this.#streams >= streamsMax;
    const what = isFull ? "stream limit reached" : "circuit breaker is open";
    return providerFailed(provider, what, SKIPPED);
  }

  get #isOpen(): boolean {
    return this.#consecutiveFailures >= CIRCUIT_BREAKER_FAILURES_MAX;
  }

  /**
   * `failureCount` is the count when the stream opened: a success of a stream older than the last failure proves
   * nothing.
   */
  #onSuccess(failureCount: number): void {
    const { stage, provider, observer } = this.#options;
    if (failureCount !== this.#failureCount) return;
    const wasOpen = this.#isOpen;
    this.#consecutiveFailures = 0;
    if (wasOpen) observer.circuitChanged(stage, provider, false);
  }

  /** A process that dies breaks all its streams, which counts as one failure. Errors in the request do not count. */
  #onFailure(error: unknown, failureCount: number): void {
    const { stage, provider, clock, observer } = this.#options;
    observer.failed(stage, provider, error);
    if (failureCount !== this.#failureCount || isRequestError(error)) return;
    const wasOpen = this.#isOpen;
    this.#failureCount += 1;
    this.#consecutiveFailures += 1;
    if (!this.#isOpen) return;
    this.#nextProbeMs = addMs(clock.nowMs(), CIRCUIT_BREAKER_PROBE_MS);
    if (!wasOpen) observer.circuitChanged(stage, provider, true);
  }
}
