import type { Clock } from "../../core/clock.ts";
import { elapsedMs, type MonotonicMs } from "../../core/clocks.ts";

/** When a provider that sends nothing has failed. */
export interface Deadlines<Item> {
  readonly clock: Clock;
  /** To the first content, where a fallback is available. */
  readonly firstContentMs: number;
  /** From one content to the next. */
  readonly idleMs: number;
  /** The sum of all waiting times of one attempt. */
  readonly totalMs: number;
  /** Whether an item is content. Other items do not extend a deadline. */
  readonly isContent: (item: Item) => boolean;
  /** Whether an item without content shows progress: then `idleMs` applies to the next item, as after content. */
  readonly isProgress?: (item: Item) => boolean;
}

/** The deadlines of one attempt. Time counts only while an item is being waited for. */
export class ItemWait<Item> {
  /** What the provider has failed to do if the next item is late. */
  lateness = "did not start in time";
  readonly #deadlines: Deadlines<Item>;
  #itemLeftMs: number;
  #leftMs: number;
  #startedMs: MonotonicMs;

  constructor(deadlines: Deadlines<Item>, attempt: { firstContentMs: number; totalMs: number }) {
    this.#deadlines = deadlines;
    this.#itemLeftMs = attempt.firstContentMs;
    this.#leftMs = attempt.totalMs;
    this.#startedMs = deadlines.clock.nowMs();
  }

  /** Resolves to the next result of `items`, or to TIMEOUT at the deadline. */
  next(items: AsyncIterator<Item>): Promise<IteratorResult<Item> | typeof TIMEOUT> {
    const { clock } = this.#deadlines;
    this.#startedMs = clock.nowMs();
    return withTimeout(items.next(), Math.min(this.#itemLeftMs, this.#leftMs), clock);
  }

  /** `item` has arrived in time. Returns whether it is content. */
  received(item: Item): boolean {
    const { clock, idleMs, isContent, isProgress = isContent } = this.#deadlines;
    const tookMs = elapsedMs(this.#startedMs, clock.nowMs());
    this.#leftMs -= tookMs;
    const hasContent = isContent(item);
    const hasProgress = hasContent || isProgress(item);
    this.#itemLeftMs = hasProgress ? idleMs : this.#itemLeftMs - tookMs;
    if (hasProgress) this.lateness = "stalled";
    return hasContent;
  }
}

/** The result of `withTimeout` when the promise was too late. */
export const TIMEOUT = Symbol("timeout");

/** Resolves as `promise` does, or to TIMEOUT after `delayMs`. */
export function withTimeout<T>(promise: Promise<T>, delayMs: number, clock: Clock): Promise<T | typeof TIMEOUT> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(delayMs, () => resolve(TIMEOUT));
    promise.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });
}

/** Resolves after `delayMs`, or when `signal` aborts. */
export function delay(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      cancel();
      signal.removeEventListener("abort", wake);
      resolve();
    };
    const cancel = clock.after(delayMs, wake);
    signal.addEventListener("abort", wake, { once: true });
    if (signal.aborted) wake();
  });
}
