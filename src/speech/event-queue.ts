/**
 * An ordered queue of events from a synchronous writer to one asynchronous reader. It ends when `signal` aborts: unread
 * events are dropped. After `fail` the reader gets the events queued before it, and then the error.
 */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #signal: AbortSignal;
  readonly #events: T[] = [];
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  push(event: T): void {
    if (this.#signal.aborted || this.#failure !== undefined) return;
    this.#events.push(event);
    this.#wake();
  }

  /** Ends the queue: the first failure counts, and later events and failures are ignored. */
  fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    while (!this.#signal.aborted) {
      const event = this.#events.shift();
      if (event !== undefined) yield event;
      else if (this.#failure !== undefined) throw this.#failure;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
