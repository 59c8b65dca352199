import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { PROVIDER_ATTEMPTS_MAX, PROVIDER_FIRST_OUTPUT_MS_MAX, PROVIDER_RETRY_MS } from "../../core/limits/providers.ts";
import type { ProviderObserver } from "../contracts.ts";
import type { CircuitBreaker, StreamPermit } from "./circuit-breaker.ts";
import { type DeadlineOptions, delay, withDeadlines } from "./deadlines.ts";
import { failoverCodeOf, retryDelayMs } from "./provider-error.ts";

/** A provider in a list of fallbacks. */
export interface FallbackCandidate {
  readonly circuitBreaker: CircuitBreaker;
  /** Whether this provider can serve the request is unknown, so it does not count as a fallback of the candidates before it. */
  readonly isUnconfirmed?: boolean;
}

/** An attempt that may be made now. */
export interface Attempt<P extends FallbackCandidate> {
  candidate: P;
  /** Its owner must release it in the end. */
  permit: StreamPermit;
  /** The deadline of the first content. */
  firstContentMs: number;
}

/**
 * The attempts for one request, one after the other, until a provider has served it. A provider is retried at once
 * where that is safe, and after a delay only where no fallback is available; all within PROVIDER_FIRST_OUTPUT_MS_MAX.
 * While no provider is available, the first one that becomes available is used.
 */
export class FallbackAttempts<P extends FallbackCandidate> {
  readonly #candidates: readonly P[];
  readonly #firstContentMs: number;
  readonly #clock: Clock;
  readonly #observer: ProviderObserver | undefined;
  /** The candidate of the last attempt; before the first attempt, the first candidate. */
  #current: P | undefined;
  #deadlineMs: MonotonicMs;
  #index = 0;
  #tries = 0;
  #retryDelayMs = 0;
  #hasTried = false;
  #failure: unknown;

  /** `firstContentMs` is the deadline of the first content for a candidate with a fallback after it. */
  constructor(candidates: readonly P[], firstContentMs: number, clock: Clock, observer?: ProviderObserver) {
    this.#candidates = candidates;
    this.#firstContentMs = firstContentMs;
    this.#clock = clock;
    this.#observer = observer;
    this.#current = candidates[0];
    this.#deadlineMs = addMs(clock.nowMs(), PROVIDER_FIRST_OUTPUT_MS_MAX);
  }

  /** The error of the last failed attempt. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The next attempt; undefined where there is none, or when `signal` has aborted. */
  async next(signal: AbortSignal): Promise<Attempt<P> | undefined> {
    if (this.#retryDelayMs > 0) await delay(this.#retryDelayMs, this.#clock, signal);
    this.#retryDelayMs = 0;
    for (;;) {
      const leftMs = elapsedMs(this.#clock.nowMs(), this.#deadlineMs);
      if (signal.aborted || leftMs <= 0) return undefined;
      const attempt = this.#acquireNext(leftMs);
      if (attempt !== undefined || this.#hasTried) return attempt;
      this.#index = 0;
      await delay(Math.min(PROVIDER_RETRY_MS, leftMs), this.#clock, signal);
    }
  }

  /** An attempt with the next available candidate, if there is one. */
  #acquireNext(leftMs: number): Attempt<P> | undefined {
    for (
      let candidate = this.#candidates[this.#index];
      candidate !== undefined;
      candidate = this.#candidates[this.#index]
    ) {
      const permit = candidate.circuitBreaker.tryAcquire();
      if (permit !== undefined) {
        this.#tries += 1;
        this.#hasTried = true;
        return {
          candidate,
          permit,
          firstContentMs: this.#hasFallback ? Math.min(this.#firstContentMs, leftMs) : leftMs,
        };
      }
      this.#failure ??= candidate.circuitBreaker.unavailableError();
      this.skip();
    }
    return undefined;
  }

  /** The request is sent to `candidate` now. Reports a failover where that is another one than before. */
  started(candidate: P): void {
    const before = this.#current;
    this.#current = candidate;
    if (before === undefined || before === candidate) return;
    this.#observer?.failedOver(
      before.circuitBreaker.provider,
      candidate.circuitBreaker.provider,
      failoverCodeOf(this.#failure),
    );
  }

  /**
   * The last attempt failed. If its reply `hasBegun`, the provider is not retried, and the next gets the full deadline.
   */
  failed(error: unknown, hasBegun: boolean): void {
    this.#failure = error;
    if (hasBegun) this.#deadlineMs = addMs(this.#clock.nowMs(), PROVIDER_FIRST_OUTPUT_MS_MAX);
    const waitMs = hasBegun || this.#tries >= PROVIDER_ATTEMPTS_MAX ? undefined : retryDelayMs(error);
    const isRetried =
      waitMs !== undefined &&
      (waitMs === 0 || !this.#hasFallback) &&
      addMs(this.#clock.nowMs(), waitMs) < this.#deadlineMs;
    if (isRetried) this.#retryDelayMs = waitMs;
    else this.skip();
  }

  /** Moves on to the next candidate. */
  skip(): void {
    this.#index += 1;
    this.#tries = 0;
  }

  get #hasFallback(): boolean {
    return this.#candidates
      .slice(this.#index + 1)
      .some(({ circuitBreaker, isUnconfirmed }) => isUnconfirmed !== true && circuitBreaker.isAvailable);
  }
}

/** Runs one attempt within its deadlines, reports its outcome to the circuit breaker and releases `permit`. */
export async function* runAttempt<T>(
  permit: StreamPermit,
  start: (signal: AbortSignal) => AsyncIterable<T>,
  options: DeadlineOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let hasAnswered = false;
  try {
    for await (const item of withDeadlines(start, options, signal)) {
      if (!hasAnswered && options.isContent(item)) {
        hasAnswered = true;
        permit.succeeded();
      }
      yield item;
    }
  } catch (error) {
    if (signal.aborted) return;
    // A spend limit refused the request before it was sent: no failure of the provider.
    if (spendRefusalOf(error) === undefined) permit.failed(error);
    throw error;
  } finally {
    permit.release();
  }
}
