import type { Tts } from "../contracts.ts";

/**
 * The same items, with the time to the first of them told, from when it was asked for; of none nothing is told. What comes behind the
 * first is handed through as it is.
 */
export function timeFirstItem<T>(
  items: AsyncIterable<T>,
  nowMs: () => number,
  tell: (tookMs: number) => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      const askedMs = nowMs();
      const first = async (): Promise<IteratorResult<T>> => {
        const result = await iterator.next();
        if (result.done !== true) tell(nowMs() - askedMs);
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

/** The same voice, with the time to the first audio of each piece told. */
export function timedTts(tts: Tts, nowMs: () => number, tell: (tookMs: number) => void): Tts {
  return {
    provider: tts.provider,
    capabilities: tts.capabilities,
    voices: () => tts.voices(),
    speak: (request, signal, watch) => timeFirstItem(tts.speak(request, signal, watch), nowMs, tell),
  };
}
