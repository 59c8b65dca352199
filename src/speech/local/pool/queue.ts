import { URGENCIES, type Urgency } from "../jobs.ts";

/** What waits for a child. */
interface Queued {
  urgency: Urgency;
}

/** Jobs by urgency, those of one urgency in order. */
export class JobQueue<Item extends Queued> {
  readonly #itemsMax: number;
  #items: Item[] = [];

  /** Holds at most `itemsMax` items. */
  constructor(itemsMax: number) {
    this.#itemsMax = itemsMax;
  }

  get length(): number {
    return this.#items.length;
  }

  /** How many wait of one urgency. */
  count(urgency: Urgency): number {
    return this.#items.reduce((sum, item) => sum + Number(item.urgency === urgency), 0);
  }

  /** False when the queue is full. */
  add(item: Item): boolean {
    if (this.#items.length >= this.#itemsMax) return false;
    this.#items.push(item);
    return true;
  }

  /** Puts back an item that a child had taken: it is the first of its urgency, whatever else waits. */
  addFirst(item: Item): void {
    this.#items.unshift(item);
  }

  /** Removes and returns the most urgent item. The urgency of items may have changed since they were added. */
  take(): Item | undefined {
    for (const urgency of URGENCIES) {
      const at = this.#items.findIndex((item) => item.urgency === urgency);
      if (at >= 0) return this.#items.splice(at, 1)[0];
    }
    return undefined;
  }

  /** False when the item does not wait. */
  remove(item: Item): boolean {
    const at = this.#items.indexOf(item);
    if (at < 0) return false;
    this.#items.splice(at, 1);
    return true;
  }

  /** Removes and returns all items. */
  takeAll(): Item[] {
    const all = this.#items;
    this.#items = [];
    return all;
  }
}
