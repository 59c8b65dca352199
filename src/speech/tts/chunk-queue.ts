import type { TtsChunk } from "../contracts.ts";

/**
 * Passes chunks of audio, in order, from a producer that pushes synchronously to one consumer that pulls; then the end
 * or the failure.
 */
export class TtsChunkQueue {
  readonly #chunks: TtsChunk[] = [];
  readonly #onRead: () => void;
  #unreadMs = 0;
  #isOver = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  /** `onRead` is called after each chunk that the consumer reads. */
  constructor(onRead: () => void = () => {}) {
    this.#onRead = onRead;
  }

  /** Duration of the audio that the consumer has not read. */
  get unreadMs(): number {
    return this.#unreadMs;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  push(chunk: TtsChunk): void {
    if (this.#isOver) return;
    this.#chunks.push(chunk);
    this.#unreadMs += durationMs(chunk);
    this.#wake();
  }

  /** Marks the end. Only the first call has an effect. */
  end(failure?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wake();
  }

  /** Yields until the end; stops at once when `signal` aborts. Throws the failure after the chunks pushed before it. */
  async *read(signal: AbortSignal): AsyncGenerator<TtsChunk> {
    const wake = (): void => this.#wake();
    signal.addEventListener("abort", wake, { once: true });
    try {
      while (!signal.aborted) {
        const chunk = this.#chunks.shift();
        if (chunk !== undefined) {
          this.#unreadMs -= durationMs(chunk);
          this.#onRead();
          yield chunk;
        } else if (!this.#isOver) {
          await new Promise<void>((resolve) => (this.#wake = resolve));
        } else if (this.#failure !== undefined) {
          throw this.#failure;
        } else {
          return;
        }
      }
    } finally {
      signal.removeEventListener("abort", wake);
    }
  }
}

const durationMs = ({ samples, rateHz }: TtsChunk): number => (samples.length * 1_000) / rateHz;
