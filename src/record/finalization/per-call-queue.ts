import type { CallId } from "../../core/ids.ts";
import { KeyedQueue } from "../../core/keyed-queue.ts";

/**
 * Runs work of calls: that of one call in sequence, and that of several calls concurrently, up to a limit. Work above the limit
 * waits, and the oldest is next: urgent work first.
 */
export class PerCallQueue {
  readonly #concurrentMax: number;
  readonly #calls = new KeyedQueue<CallId>();
  /** Work that waits for a free slot, in order. */
  readonly #urgent: (() => void)[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;

  constructor(concurrentMax: number) {
    this.#concurrentMax = concurrentMax;
  }

  /** How much work waits for a free slot. Work that waits for earlier work of its own call does not count. */
  get waiting(): number {
    return this.#urgent.length + this.#waiting.length;
  }

  /** How much work is in progress. */
  get inProgress(): number {
    return this.#busy;
  }

  /**
   * Runs `work` after all earlier work of this call, once fewer than the limit are in progress. Settles as `work` does; work that
   * fails does not stop what follows.
   */
  run<T>(callId: CallId, work: () => Promise<T>, { isUrgent = false } = {}): Promise<T> {
    return this.#calls.run(callId, async () => {
      if (this.#busy === this.#concurrentMax) await this.#slot(isUrgent);
      else this.#busy += 1;
      try {
        return await work();
      } finally {
        const next = this.#urgent.shift() ?? this.#waiting.shift();
        // The slot passes to the next in the queue.
        if (next === undefined) this.#busy -= 1;
        else next();
      }
    });
  }

  #slot(isUrgent: boolean): Promise<void> {
    return new Promise((resolve) => void (isUrgent ? this.#urgent : this.#waiting).push(resolve));
  }

  /** Resolves when all work requested so far is done, whether or not it failed. */
  idle(): Promise<void> {
    return this.#calls.idle();
  }
}
