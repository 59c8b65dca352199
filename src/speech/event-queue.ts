/**
 * Events on their way from a synchronous writer to one asynchronous reader, in order. Ends when `signal` aborts: what has not
 * been read by then is dropped.
 */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #signal: AbortSignal;
  readonly #events: T[] = [];
  #wake: () => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  push(event: T): void {
    if (this.#signal.aborted) return;
    this.#events.push(event);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    while (!this.#signal.aborted) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
