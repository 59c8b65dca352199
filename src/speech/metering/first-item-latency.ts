import { elapsedMs, type Instant } from "../../core/clocks.ts";
import type { Tts } from "../contracts.ts";

/**
 * Passes `items` through and reports the time from the first request for an item to its arrival. Nothing is reported if
 * there is no item.
 */
export function timeFirstItem<T, Time extends Instant>(
  items: AsyncIterable<T>,
  nowMs: () => Time,
  report: (tookMs: number) => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      const startedMs = nowMs();
      const first = async (): Promise<IteratorResult<T>> => {
        const result = await iterator.next();
        if (result.done !== true) report(elapsedMs(startedMs, nowMs()));
        return result;
      };
      let isFirst = true;
      return {
        next() {
          if (!isFirst) return iterator.next();
          isFirst = false;
          return first();
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}

/** Wraps `tts` and reports the time to the first audio of each segment. */
export function timedTts<Time extends Instant>(tts: Tts, nowMs: () => Time, report: (tookMs: number) => void): Tts {
  return {
    provider: tts.provider,
    capabilities: tts.capabilities,
    voices: () => tts.voices(),
    speak: (request, signal, observer) => timeFirstItem(tts.speak(request, signal, observer), nowMs, report),
  };
}
