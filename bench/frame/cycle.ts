/** Goes round a list. */
export class Cycle<T> {
  readonly #items: readonly T[];
  #at = 0;

  constructor(items: readonly T[]) {
    this.#items = items;
  }

  next(): T {
    this.#at = this.#at + 1 === this.#items.length ? 0 : this.#at + 1;
    return this.#items[this.#at] as T;
  }
}
