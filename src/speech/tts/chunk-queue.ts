import type { TtsChunk } from "../contracts.ts";

/**
 * Speech on its way from whoever writes it synchronously to the one who pulls it, in order, then its end or its
 * failure.
 */
export class TtsChunkQueue {
  readonly #chunks: TtsChunk[] = [];
  readonly #onRead: () => void;
  #unreadMs = 0;
  #isOver = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  /** `onPulled` is told whenever less is waiting than before. */
  constructor(onPulled: () => void = () => {}) {
    this.#onRead = onPulled;
  }

  /** How much speech nobody has pulled. */
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

  /** No more comes. Only the first end counts. */
  end(failure?: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#failure = failure;
    this.#wake();
  }

  /** Yields until the end; ends at once when `signal` aborts. Throws the failure behind what came before it. */
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
