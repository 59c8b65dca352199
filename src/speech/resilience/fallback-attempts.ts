import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { PROVIDER_ATTEMPTS_MAX, PROVIDER_FIRST_OUTPUT_MS_MAX, PROVIDER_RETRY_MS } from "../../core/limits/providers.ts";
import type { ProviderObserver } from "../contracts.ts";
import type { CircuitBreaker, StreamPermit } from "./circuit-breaker.ts";
import { type DeadlineOptions, delay, withDeadlines } from "./deadlines.ts";
import { failoverCodeOf, retryDelayMs } from "./provider-error.ts";

/** One of those who can answer, in the order in which they are asked. */
export interface FallbackCandidate {
  readonly circuitBreaker: CircuitBreaker;
  /** It may turn out that it cannot do this at all: nobody relies on it. */
  readonly isUnconfirmed?: boolean;
}

/** A try that may be made now. */
export interface Attempt<P extends FallbackCandidate> {
  candidate: P;
  /** Must be left in the end. */
  permit: StreamPermit;
  /** How long it may take to its first content. */
  firstContentMs: number;
}

/**
 * Who is asked for one answer, one after the other, until one has given it: each again where that is safe, and where nobody else is
 * left even after a while, all within ANSWER_BEGINS_MS_MAX. Nobody waits for a provider while there is another one; where none may be
 * asked the first is that may.
 */
export class FallbackAttempts<P extends FallbackCandidate> {
  readonly #candidates: readonly P[];
  readonly #firstContentMs: number;
  readonly #clock: Clock;
  readonly #observer: ProviderObserver | undefined;
  /** Who was asked last, or was to be the first. */
  #current: P | undefined;
  #deadlineMs: number;
  #index = 0;
  #tries = 0;
  #retryDelayMs = 0;
  #hasTried = false;
  #failure: unknown;

  /** `firstMs` is how long each may take to its first content where there is another one. */
  constructor(providers: readonly P[], firstMs: number, clock: Clock, watch?: ProviderObserver) {
    this.#candidates = providers;
    this.#firstContentMs = firstMs;
    this.#clock = clock;
    this.#observer = watch;
    this.#current = providers[0];
    this.#deadlineMs = clock.nowMs() + PROVIDER_FIRST_OUTPUT_MS_MAX;
  }

  /** Why nobody has answered. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The next try; undefined where there is none, or when `signal` has aborted. */
  async next(signal: AbortSignal): Promise<Attempt<P> | undefined> {
    if (this.#retryDelayMs > 0) await delay(this.#retryDelayMs, this.#clock, signal);
    this.#retryDelayMs = 0;
    for (;;) {
      const leftMs = this.#deadlineMs - this.#clock.nowMs();
      if (signal.aborted || leftMs <= 0) return undefined;
      const attempt = this.#acquireNext(leftMs);
      if (attempt !== undefined || this.#hasTried) return attempt;
      this.#index = 0;
      await delay(Math.min(PROVIDER_RETRY_MS, leftMs), this.#clock, signal);
    }
  }

  /** A try of the next that may be asked, if any may be. */
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

  /** It is asked now, which is told where that is another one than before. */
  started(provider: P): void {
    const before = this.#current;
    this.#current = provider;
    if (before === undefined || before === provider) return;
    this.#observer?.failedOver(
      before.circuitBreaker.provider,
      provider.circuitBreaker.provider,
      failoverCodeOf(this.#failure),
    );
  }

  /** The try that was made last failed; one that `hasBegun` to answer is not asked again, and the next has all the time anew. */
  failed(error: unknown, hasBegun: boolean): void {
    this.#failure = error;
    if (hasBegun) this.#deadlineMs = this.#clock.nowMs() + PROVIDER_FIRST_OUTPUT_MS_MAX;
    const waitMs = hasBegun || this.#tries >= PROVIDER_ATTEMPTS_MAX ? undefined : retryDelayMs(error);
    const isWorth =
      waitMs !== undefined && (waitMs === 0 || !this.#hasFallback) && this.#clock.nowMs() + waitMs < this.#deadlineMs;
    if (isWorth) this.#retryDelayMs = waitMs;
    else this.skip();
  }

  /** The one that was to be asked is not. */
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

/** One try: in time, by its deadlines, and told to the line of its provider, which it leaves. */
export async function* runAttempt<T>(
  passage: StreamPermit,
  start: (signal: AbortSignal) => AsyncIterable<T>,
  options: DeadlineOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let hasAnswered = false;
  try {
    for await (const item of withDeadlines(start, options, signal)) {
      if (!hasAnswered && options.isContent(item)) {
        hasAnswered = true;
        passage.succeeded();
      }
      yield item;
    }
  } catch (error) {
    if (signal.aborted) return;
    // The provider was not asked.
    if (spendRefusalOf(error) === undefined) passage.failed(error);
    throw error;
  } finally {
    passage.release();
  }
}
