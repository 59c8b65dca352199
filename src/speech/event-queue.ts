/**
 * An ordered queue of events from a synchronous writer to one asynchronous reader. It ends when `signal` aborts: unread
 * events are dropped. After `end` or `fail` the reader gets the events queued before it, and then the end or the error.
 */
export class EventQueue<T> implements AsyncIterable<T> {
  readonly #signal: AbortSignal;
  readonly #onRead: (event: T) => void;
  readonly #events: T[] = [];
  #isOver = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};
  readonly #onAbort = (): void => this.#wake();

  /** `onRead` is called with each event before the reader gets it. */
  constructor(signal: AbortSignal, onRead: (event: T) => void = () => {}) {
    this.#signal = signal;
    this.#onRead = onRead;
    signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** `end` or `fail` was called. */
  get isOver(): boolean {
    return this.#isOver;
  }

  push(event: T): void {
    if (this.#signal.aborted || this.#isOver) return;
    this.#events.push(event);
    this.#wake();
  }

  /** Ends the queue. The first end or failure counts; later ones and later events are ignored. */
  end(): void {
    this.#close(undefined);
  }

  /** Ends the queue with a failure. */
  fail(error: Error): void {
    this.#close(error);
  }

  /** The next event; undefined at the end and after an abort. Rejects with the failure. */
  async next(): Promise<T | undefined> {
    while (!this.#signal.aborted) {
      const event = this.#events.shift();
      if (event !== undefined) {
        this.#onRead(event);
        return event;
      }
      if (this.#failure !== undefined) throw this.#failure;
      if (this.#isOver) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    return undefined;
  }

  #close(failure: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#signal.removeEventListener("abort", this.#onAbort);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for (let event = await this.next(); event !== undefined; event = await this.next()) yield event;
  }
}
