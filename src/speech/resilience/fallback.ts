import { spendRefusalOf } from "../../core/billing/spend.ts";
import type { Clock } from "../../core/clock.ts";
import { addMs, elapsedMs, type MonotonicMs } from "../../core/clocks.ts";
import { providerFailed } from "../../core/errors.ts";
import { PROVIDER_FIRST_OUTPUT_MS_MAX, PROVIDER_RETRY_MS } from "../../core/limits/speech-providers/providers.ts";
import type { ProviderObserver } from "../contracts.ts";
import type { CircuitBreaker } from "./circuit-breaker.ts";
import { type Deadlines, delay } from "./deadlines.ts";
import type { AttemptLimits, Retries } from "./policy.ts";
import { failoverCodeOf, TIMED_OUT } from "./provider-error.ts";

/** A provider in a list of fallbacks. */
interface FallbackCandidate<Item> {
  readonly circuitBreaker: CircuitBreaker;
  readonly deadlines: Deadlines<Item>;
  readonly retries: Retries;
  /**
   * Whether this provider can serve the request is unknown, so it does not count as a fallback of the candidates before
   * it.
   */
  readonly isUnconfirmed?: boolean;
}

/** An attempt that may be made now. The owner of its permit must release it in the end. */
export interface Attempt<Candidate> extends AttemptLimits {
  candidate: Candidate;
}

/**
 * What follows a failure: the request goes to the next attempt (`continue`), is sent to the same provider once more
 * (`resend`), was answered all the same (`complete`), or fails (`fail`).
 */
export type AfterFailure = "continue" | "resend" | "complete" | "fail";

/** One request to several providers, and what of its answer is already known: that decides what the next one gets. */
export interface FallbackRequest<Candidate extends FallbackCandidate<Item>, Item> {
  /** The provider that is named where no attempt was made. */
  readonly provider: string;
  /** The longest time that the whole answer may take, ms. */
  readonly totalMs: number;
  /** The providers that may serve it, in order. */
  candidates(): readonly Candidate[] | Promise<readonly Candidate[]>;
  /** The answer, where it is known without a provider. */
  cached?(candidates: readonly Candidate[]): Iterable<Item> | undefined;
  /** Sends what remains of the request. */
  send(attempt: Attempt<Candidate>): Answer<Item> | Promise<Answer<Item>>;
  /** Takes an item of `candidate`. Returns the one to yield, if any. */
  take(item: Item, candidate: Candidate): Item | undefined;
  /** The provider has answered all that remained. Returns what is left to yield. */
  end?(): Item | undefined;
  /** An attempt has failed; `hasBegun` after the first content. */
  failed(error: unknown, hasBegun: boolean): AfterFailure;
}

/** Undefined where the candidate cannot serve the request. */
export type Answer<Item> = AsyncIterable<Item> | Iterable<Item> | undefined;

/**
 * Yields the answer to `request` from the first provider that has one. If a provider fails, the next attempt continues
 * where it stopped. A refusal by a spend limit holds for all providers. Throws the last failure.
 */
export async function* withFallback<Candidate extends FallbackCandidate<Item>, Item>(
  request: FallbackRequest<Candidate, Item>,
  clock: Clock,
  signal: AbortSignal,
  observer: ProviderObserver | undefined,
): AsyncGenerator<Item> {
  const candidates = await request.candidates();
  if (signal.aborted) return;
  const cached = request.cached?.(candidates);
  if (cached !== undefined) {
    for (const item of cached) {
      yield item;
      if (signal.aborted) return;
    }
    return;
  }
  const attempts = new FallbackAttempts(candidates, request.totalMs, clock, observer);
  for (let attempt = await attempts.next(signal); attempt !== undefined; attempt = await attempts.next(signal)) {
    const { candidate, permit } = attempt;
    let hasBegun = false;
    try {
      const items = await request.send(attempt);
      if (items === undefined || signal.aborted) {
        attempts.skip();
        continue;
      }
      attempts.started(candidate);
      for await (const item of items) {
        hasBegun ||= candidate.deadlines.isContent(item);
        const output = request.take(item, candidate);
        if (output !== undefined) yield output;
        if (signal.aborted) return;
      }
      if (signal.aborted) return;
      const last = request.end?.();
      if (last !== undefined) yield last;
      return;
    } catch (error) {
      if (spendRefusalOf(error) !== undefined) throw error;
      const next = request.failed(error, hasBegun);
      if (next === "complete") return;
      if (next === "fail") throw error;
      if (next === "continue") attempts.failed(error, hasBegun);
    } finally {
      permit.release();
    }
  }
  if (signal.aborted) return;
  throw attempts.failure ?? providerFailed(request.provider, "did not start in time", TIMED_OUT);
}

/**
 * The attempts for one request, one after the other, until a provider has served it. A provider is retried at once
 * where that is safe, and after a delay only where no fallback is available; all within PROVIDER_FIRST_OUTPUT_MS_MAX.
 * While no provider is available, the first one that becomes available is used.
 */
class FallbackAttempts<Candidate extends FallbackCandidate<never>> {
  readonly #candidates: readonly Candidate[];
  readonly #clock: Clock;
  readonly #observer: ProviderObserver | undefined;
  /** The candidate of the last attempt; before the first attempt, the first candidate. */
  #current: Candidate | undefined;
  /** Until when the first content must have arrived, and until when the whole answer. */
  #deadlineMs: MonotonicMs;
  readonly #endMs: MonotonicMs;
  #index = 0;
  #tries = 0;
  #retryDelayMs = 0;
  #hasTried = false;
  #failure: unknown;

  constructor(candidates: readonly Candidate[], totalMs: number, clock: Clock, observer: ProviderObserver | undefined) {
    this.#candidates = candidates;
    this.#clock = clock;
    this.#observer = observer;
    this.#current = candidates[0];
    this.#deadlineMs = addMs(clock.nowMs(), PROVIDER_FIRST_OUTPUT_MS_MAX);
    this.#endMs = addMs(clock.nowMs(), totalMs);
  }

  /** The error of the last failed attempt. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The next attempt; undefined where there is none, or when `signal` has aborted. */
  async next(signal: AbortSignal): Promise<Attempt<Candidate> | undefined> {
    if (elapsedMs(this.#clock.nowMs(), this.#endMs) <= 0) return undefined;
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
  #acquireNext(leftMs: number): Attempt<Candidate> | undefined {
    for (
      let candidate = this.#candidates[this.#index];
      candidate !== undefined;
      candidate = this.#candidates[this.#index]
    ) {
      const permit = candidate.circuitBreaker.tryAcquire();
      if (permit !== undefined) {
        this.#tries += 1;
        this.#hasTried = true;
        const { firstContentMs, totalMs } = candidate.deadlines;
        return {
          candidate,
          permit,
          firstContentMs: this.#hasFallback ? Math.min(firstContentMs, leftMs) : leftMs,
          totalMs: Math.min(totalMs, elapsedMs(this.#clock.nowMs(), this.#endMs)),
        };
      }
      this.#failure ??= candidate.circuitBreaker.unavailableError();
      this.skip();
    }
    return undefined;
  }

  /** The request is sent to `candidate` now. Reports a failover where that is another one than before. */
  started(candidate: Candidate): void {
    reportFailover(this.#observer, this.#current, candidate, this.#failure);
    this.#current = candidate;
  }

  /**
   * The last attempt failed. If its reply `hasBegun`, the provider is not retried, and the next gets the full deadline.
   */
  failed(error: unknown, hasBegun: boolean): void {
    this.#failure = error;
    if (hasBegun) this.#deadlineMs = addMs(this.#clock.nowMs(), PROVIDER_FIRST_OUTPUT_MS_MAX);
    const retries = this.#candidates[this.#index]?.retries;
    const waitMs =
      hasBegun || retries === undefined || this.#tries >= retries.attemptsMax ? undefined : retries.delayMs(error);
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

interface WithBreaker {
  readonly circuitBreaker: CircuitBreaker;
}

/** Reports that `to` does the work of `from` after `failure`, unless they are the same candidate. */
export function reportFailover(
  observer: ProviderObserver | undefined,
  from: WithBreaker | undefined,
  to: WithBreaker,
  failure: unknown,
): void {
  if (from === undefined || from === to) return;
  observer?.failedOver(from.circuitBreaker.provider, to.circuitBreaker.provider, failoverCodeOf(failure));
}
