interface OwnerQueue<Item> {
  readonly items: Item[];
  /** The time that the owner's tasks have used. */
  servedMs: number;
}

export interface FairQueueOptions {
  itemsMax: number;
  itemsPerOwnerMax: number;
}

/**
 * A queue for one server that is fair among owners: the owner whose items have used the least time is next. A new owner starts with
 * the time of the owner that was served last, so that owners cannot save up time. An owner of short tasks thus waits for the running
 * task and at most one task of each owner with less time, however many items others have.
 */
export class FairQueue<Item> {
  readonly #options: FairQueueOptions;
  readonly #queues = new Map<string, OwnerQueue<Item>>();
  #length = 0;
  /** The time of the owner that was served last. */
  #servedMs = 0;

  constructor(options: FairQueueOptions) {
    this.#options = options;
  }

  /** How many items wait. */
  get length(): number {
    return this.#length;
  }

  /** Adds an item after the others of its owner; false when the queue is full. */
  add(owner: string, item: Item): boolean {
    const line = this.#queueOf(owner);
    if (this.#length >= this.#options.itemsMax || line.items.length >= this.#options.itemsPerOwnerMax) return false;
    line.items.push(item);
    this.#length += 1;
    return true;
  }

  /** Removes and returns the first item of the owner that has used the least time. */
  take(): Item | undefined {
    let next: OwnerQueue<Item> | undefined;
    for (const [owner, line] of this.#queues) {
      if (line.items.length > 0) {
        if (next === undefined || line.servedMs < next.servedMs) next = line;
      } else if (line.servedMs <= this.#servedMs) {
        this.#queues.delete(owner);
      }
    }
    const item = next?.items.shift();
    if (next === undefined || item === undefined) return undefined;
    this.#length -= 1;
    this.#servedMs = next.servedMs;
    return item;
  }

  /** Removes an item before its turn; false when it is not in the queue. */
  remove(owner: string, item: Item): boolean {
    const items = this.#queues.get(owner)?.items ?? [];
    const at = items.indexOf(item);
    if (at < 0) return false;
    items.splice(at, 1);
    this.#length -= 1;
    return true;
  }

  /** Charges the duration of a task to its owner. It has no effect when no owner is waiting. */
  charge(owner: string, tookMs: number): void {
    this.#queueOf(owner).servedMs += tookMs;
    if (this.#length > 0) return;
    this.#queues.clear();
    this.#servedMs = 0;
  }

  #queueOf(owner: string): OwnerQueue<Item> {
    const line = this.#queues.get(owner) ?? { items: [], servedMs: this.#servedMs };
    this.#queues.set(owner, line);
    return line;
  }
}
