/**
 * Runs tasks of one key one after another, in order of arrival, and tasks of different keys at once. It has no limit of
 * its own: a caller waits for its task, so the callers' own limit, such as that of connections, is the queue's.
 */
export class KeyedQueue<Key> {
  readonly #last = new Map<Key, Promise<unknown>>();

  /** Settles as `task` does, which begins once the earlier tasks of this key have settled in any way. */
  async run<T>(key: Key, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)?.catch(() => undefined);
    const running = (async () => {
      await before;
      return await task();
    })();
    this.#last.set(key, running);
    try {
      return await running;
    } finally {
      if (this.#last.get(key) === running) this.#last.delete(key);
    }
  }

  /** Resolves when all tasks so far have settled. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#last.values());
  }
}
