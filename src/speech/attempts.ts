import type { Clock } from "../core/clock.ts";
import { ANSWER_BEGINS_MS_MAX, PROVIDER_RETRY_MS, PROVIDER_TRIES_MAX } from "../core/limits.ts";
import { spendRefusalOf } from "../core/spend.ts";
import { type DeadlineOptions, pause, withDeadlines } from "./deadlines.ts";
import type { Passage, ProviderLine } from "./provider-line.ts";
import { retryWaitMs, switchCode } from "./refusal.ts";
import type { EngineWatch } from "./speech.ts";

/** One of those who can answer, in the order in which they are asked. */
export interface Chained {
  readonly line: ProviderLine;
  /** It may turn out that it cannot do this at all: nobody relies on it. */
  readonly isUnsure?: boolean;
}

/** A try that may be made now. */
export interface Attempt<P extends Chained> {
  provider: P;
  /** Must be left in the end. */
  passage: Passage;
  /** How long it may take to its first content. */
  firstMs: number;
}

/**
 * Who is asked for one answer, one after the other, until one has given it: each again where that is safe, and where nobody else is
 * left even after a while, all within ANSWER_BEGINS_MS_MAX. Nobody waits for a provider while there is another one; where none may be
 * asked the first is that may.
 */
export class Attempts<P extends Chained> {
  readonly #providers: readonly P[];
  readonly #firstMs: number;
  readonly #clock: Clock;
  readonly #watch: EngineWatch | undefined;
  /** Who was asked last, or was to be the first. */
  #asked: P | undefined;
  #untilMs: number;
  #index = 0;
  #tries = 0;
  #waitMs = 0;
  #hasTried = false;
  #failure: unknown;

  /** `firstMs` is how long each may take to its first content where there is another one. */
  constructor(providers: readonly P[], firstMs: number, clock: Clock, watch?: EngineWatch) {
    this.#providers = providers;
    this.#firstMs = firstMs;
    this.#clock = clock;
    this.#watch = watch;
    this.#asked = providers[0];
    this.#untilMs = clock.nowMs() + ANSWER_BEGINS_MS_MAX;
  }

  /** Why nobody has answered. */
  get failure(): unknown {
    return this.#failure;
  }

  /** The next try; undefined where there is none, or when `signal` has aborted. */
  async next(signal: AbortSignal): Promise<Attempt<P> | undefined> {
    if (this.#waitMs > 0) await pause(this.#waitMs, this.#clock, signal);
    this.#waitMs = 0;
    for (;;) {
      const leftMs = this.#untilMs - this.#clock.nowMs();
      if (signal.aborted || leftMs <= 0) return undefined;
      const attempt = this.#enter(leftMs);
      if (attempt !== undefined || this.#hasTried) return attempt;
      this.#index = 0;
      await pause(Math.min(PROVIDER_RETRY_MS, leftMs), this.#clock, signal);
    }
  }

  /** A try of the next that may be asked, if any may be. */
  #enter(leftMs: number): Attempt<P> | undefined {
    for (let provider = this.#providers[this.#index]; provider !== undefined; provider = this.#providers[this.#index]) {
      const passage = provider.line.enter();
      if (passage !== undefined) {
        this.#tries += 1;
        this.#hasTried = true;
        return { provider, passage, firstMs: this.#hasAnother ? Math.min(this.#firstMs, leftMs) : leftMs };
      }
      this.#failure ??= provider.line.refusal();
      this.pass();
    }
    return undefined;
  }

  /** It is asked now, which is told where that is another one than before. */
  asks(provider: P): void {
    const before = this.#asked;
    this.#asked = provider;
    if (before === undefined || before === provider) return;
    this.#watch?.switched(before.line.provider, provider.line.provider, switchCode(this.#failure));
  }

  /** The try that was made last failed; one that `hasBegun` to answer is not asked again, and the next has all the time anew. */
  failed(error: unknown, hasBegun: boolean): void {
    this.#failure = error;
    if (hasBegun) this.#untilMs = this.#clock.nowMs() + ANSWER_BEGINS_MS_MAX;
    const waitMs = hasBegun || this.#tries >= PROVIDER_TRIES_MAX ? undefined : retryWaitMs(error);
    const isWorth =
      waitMs !== undefined && (waitMs === 0 || !this.#hasAnother) && this.#clock.nowMs() + waitMs < this.#untilMs;
    if (isWorth) this.#waitMs = waitMs;
    else this.pass();
  }

  /** The one that was to be asked is not. */
  pass(): void {
    this.#index += 1;
    this.#tries = 0;
  }

  get #hasAnother(): boolean {
    return this.#providers.slice(this.#index + 1).some(({ line, isUnsure }) => isUnsure !== true && line.mayEnter);
  }
}

/** One try: in time, by its deadlines, and told to the line of its provider, which it leaves. */
export async function* tried<T>(
  passage: Passage,
  start: (signal: AbortSignal) => AsyncIterable<T>,
  options: DeadlineOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  let hasAnswered = false;
  try {
    for await (const item of withDeadlines(start, options, signal)) {
      if (!hasAnswered && options.isContent(item)) {
        hasAnswered = true;
        passage.answered();
      }
      yield item;
    }
  } catch (error) {
    if (signal.aborted) return;
    // The provider was not asked.
    if (spendRefusalOf(error) === undefined) passage.failed(error);
    throw error;
  } finally {
    passage.leave();
  }
}
