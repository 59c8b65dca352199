import type { Clock } from "../core/clock.ts";
import { ANSWER_BEGINS_MS_MAX, PROVIDER_TRIES_MAX } from "../core/limits.ts";
import { type DeadlineOptions, pause, withDeadlines } from "./deadlines.ts";
import type { Passage, ProviderLine } from "./provider-line.ts";
import { retryWaitMs } from "./refusal.ts";

/** One of those who can answer, in the order in which they are asked. */
export interface Chained {
  readonly line: ProviderLine;
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
 * left even after a while, all within ANSWER_BEGINS_MS_MAX. Nobody waits for a provider while there is another one.
 */
export class Attempts<P extends Chained> {
  readonly #providers: readonly P[];
  readonly #firstMs: number;
  readonly #clock: Clock;
  #untilMs: number;
  #index = 0;
  #tries = 0;
  #waitMs = 0;
  #failure: unknown;

  /** `firstMs` is how long each may take to its first content where there is another one. */
  constructor(providers: readonly P[], firstMs: number, clock: Clock) {
    this.#providers = providers;
    this.#firstMs = firstMs;
    this.#clock = clock;
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
    const leftMs = this.#untilMs - this.#clock.nowMs();
    if (signal.aborted || leftMs <= 0) return undefined;
    for (;;) {
      const provider = this.#providers[this.#index];
      if (provider === undefined) return undefined;
      const passage = provider.line.enter();
      if (passage !== undefined) {
        this.#tries += 1;
        return { provider, passage, firstMs: this.#hasAnother ? Math.min(this.#firstMs, leftMs) : leftMs };
      }
      this.#failure ??= provider.line.refusal();
      this.pass();
    }
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
    return this.#providers.slice(this.#index + 1).some(({ line }) => line.mayEnter);
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
    passage.failed(error);
    throw error;
  } finally {
    passage.leave();
  }
}
