import type { TtsChunk } from "../contracts.ts";
import { EventQueue } from "../event-queue.ts";

/** The chunks of one request, from the provider's messages to their reader; it knows how much is unread. */
export class TtsChunkQueue extends EventQueue<TtsChunk> {
  #unreadMs = 0;

  /** `onRead` is called after each chunk that the consumer reads. */
  constructor(signal: AbortSignal, onRead: () => void = () => {}) {
    super(signal, (chunk) => {
      this.#unreadMs -= durationMs(chunk);
      onRead();
    });
  }

  /** Duration of the audio that the consumer has not read. */
  get unreadMs(): number {
    return this.#unreadMs;
  }

  override push(chunk: TtsChunk): void {
    if (!this.isOver) this.#unreadMs += durationMs(chunk);
    super.push(chunk);
  }
}

const durationMs = ({ samples, rateHz }: TtsChunk): number => (samples.length * 1_000) / rateHz;
