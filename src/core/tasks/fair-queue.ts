interface OwnerQueue<Item> {
  readonly items: Item[];
  /** The time that its owner's tasks have taken. */
  servedMs: number;
}

export interface FairQueueOptions {
  itemsMax: number;
  itemsPerOwnerMax: number;
}

/**
 * Items that wait for one server, shared fairly among their owners: the owner whose items have taken the least time is next. An owner
 * that comes anew begins at the time of the one that was served last, so that nobody saves up time. An owner of short tasks thus waits
 * for the task that runs, and for no more than one task of each owner with less time, however many items others have.
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

  /** Adds an item behind the others of its owner; false where there is no room for it. */
  add(owner: string, item: Item): boolean {
    const line = this.#queueOf(owner);
    if (this.#length >= this.#options.itemsMax || line.items.length >= this.#options.itemsPerOwnerMax) return false;
    line.items.push(item);
    this.#length += 1;
    return true;
  }

  /** Takes out the first item of the owner that has been served least. */
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

  /** Takes an item out before its turn; false where it does not wait. */
  remove(owner: string, item: Item): boolean {
    const items = this.#queues.get(owner)?.items ?? [];
    const at = items.indexOf(item);
    if (at < 0) return false;
    items.splice(at, 1);
    this.#length -= 1;
    return true;
  }

  /** A task of this owner took so long. Where nobody waits it counts for nothing. */
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
