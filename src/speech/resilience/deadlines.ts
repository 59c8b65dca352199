import type { Clock } from "../../core/clock.ts";
import { providerFailed } from "../../core/errors.ts";
import { TIMED_OUT } from "./provider-error.ts";

export interface Deadlines {
  /** To the first content. */
  firstContentMs: number;
  /** From one content to the next. */
  idleMs: number;
  /** All the waiting together. */
  totalMs: number;
}

export interface DeadlineOptions<T> extends Deadlines {
  provider: string;
  clock: Clock;
  /** Whether an item is what was asked for: anything else keeps nobody waiting any longer. */
  isContent: (item: T) => boolean;
  /** Whether one that is none shows that some is being made: the next is waited for as long as behind content. */
  isProgress?: (item: T) => boolean;
}

/**
 * What `start` gives, as long as it comes in time; time runs only while somebody waits, so a reader who takes his time is no reason to
 * fail. Throws `provider_failed` with the cause SILENCE. What `start` was given aborts with `signal`, at the end and at a failure;
 * whether it listens to that is not waited for.
 */
export async function* withDeadlines<T>(
  start: (signal: AbortSignal) => AsyncIterable<T>,
  { provider, clock, firstContentMs, idleMs, totalMs, isContent, isProgress = isContent }: DeadlineOptions<T>,
  signal: AbortSignal,
): AsyncGenerator<T> {
  if (signal.aborted) return;
  const life = new AbortController();
  const abort = (): void => life.abort();
  signal.addEventListener("abort", abort, { once: true });
  const iterator = start(life.signal)[Symbol.asyncIterator]();
  let silenceLeftMs = firstContentMs;
  let leftMs = totalMs;
  let what = "did not start in time";
  try {
    for (;;) {
      const askedMs = clock.nowMs();
      const result = await withTimeout(iterator.next(), Math.min(silenceLeftMs, leftMs), clock);
      if (signal.aborted) return;
      if (result === TIMEOUT) throw providerFailed(provider, what, TIMED_OUT);
      if (result.done === true) return;
      const tookMs = clock.nowMs() - askedMs;
      leftMs -= tookMs;
      const goesOn = isContent(result.value) || isProgress(result.value);
      silenceLeftMs = goesOn ? idleMs : silenceLeftMs - tookMs;
      if (goesOn) what = "stalled";
      yield result.value;
      if (signal.aborted) return;
    }
  } finally {
    signal.removeEventListener("abort", abort);
    abort();
    iterator.return?.().catch(() => {});
  }
}

/** What `within` gives for what came too late. */
export const TIMEOUT = Symbol("late");

/** What `promise` comes to, or LATE after `delayMs`. */
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
