import type { Clock } from "../../core/clock.ts";
import { elapsedMs } from "../../core/clocks.ts";
import { providerFailed } from "../../core/errors.ts";
import { TIMED_OUT } from "./provider-error.ts";

export interface Deadlines {
  /** To the first content. */
  firstContentMs: number;
  /** From one content to the next. */
  idleMs: number;
  /** The sum of all waiting times. */
  totalMs: number;
}

export interface DeadlineOptions<T> extends Deadlines {
  provider: string;
  clock: Clock;
  /** Whether an item is content. Other items do not extend the deadline. */
  isContent: (item: T) => boolean;
  /** Whether an item without content shows progress: then `idleMs` applies to the next item, as after content. */
  isProgress?: (item: T) => boolean;
}

/**
 * Yields the items of `start` as long as each arrives in time. Time counts only while an item is being waited for, so a
 * slow reader causes no failure. Throws `provider_failed` with the cause TIMED_OUT. The signal that `start` receives
 * aborts with `signal`, at the end and at a failure; this function does not wait for `start` to react to it.
 */
export async function* withDeadlines<T>(
  start: (signal: AbortSignal) => AsyncIterable<T>,
  { provider, clock, firstContentMs, idleMs, totalMs, isContent, isProgress = isContent }: DeadlineOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  if (signal.aborted) return;
  const abortController = new AbortController();
  const abort = (): void => abortController.abort();
  signal.addEventListener("abort", abort, { once: true });
  const iterator = start(abortController.signal)[Symbol.asyncIterator]();
  let itemLeftMs = firstContentMs;
  let leftMs = totalMs;
  let what = "did not start in time";
  try {
    for (;;) {
      const startedMs = clock.nowMs();
      const result = await withTimeout(iterator.next(), Math.min(itemLeftMs, leftMs), clock);
      if (signal.aborted) return;
      if (result === TIMEOUT) throw providerFailed(provider, what, TIMED_OUT);
      if (result.done === true) return;
      const tookMs = elapsedMs(startedMs, clock.nowMs());
      leftMs -= tookMs;
      const hasProgress = isContent(result.value) || isProgress(result.value);
      itemLeftMs = hasProgress ? idleMs : itemLeftMs - tookMs;
      if (hasProgress) what = "stalled";
      yield result.value;
      if (signal.aborted) return;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    abort();
    iterator.return?.().catch(() => {});
  }
}

/** The result of `withTimeout` when the promise was too late. */
export const TIMEOUT = Symbol("timeout");

/** Resolves as `promise` does, or to TIMEOUT after `delayMs`. */
export function withTimeout<T>(promise: Promise<T>, delayMs: number, clock: Clock): Promise<T | typeof TIMEOUT> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(delayMs, () => resolve(TIMEOUT));
    void promise.then(resolve, reject).finally(cancel);
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
