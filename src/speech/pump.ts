/** Passes a provider's events to `deliver` until they end or `signal` aborts; nothing is delivered after an abort. */
export async function pump<T>(
  events: AsyncIterable<T>,
  signal: AbortSignal,
  deliver: (event: T) => void,
  fail: (error: unknown) => void,
): Promise<void> {
  try {
    for await (const event of events) {
      if (signal.aborted) return;
      deliver(event);
    }
  } catch (error) {
    if (!signal.aborted) fail(error);
  }
}
