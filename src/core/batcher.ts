import { setTimeout } from "node:timers/promises";
import { codeOf } from "./errors.ts";

export interface BatcherOptions<Item, Result> {
  /** Does all items together; the results are in their order. */
  work: (items: readonly Item[]) => Promise<readonly Result[]>;
  itemsMax: number;
  /** How long the first item of a batch waits for others. Every caller waits this long at most. */
  gatherMs: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

/**
 * Does together what is asked for one by one, where one of many costs less than one alone. Batches run one after another.
 * When a batch is rejected, its items are done one by one, so that one of them cannot fail the others; but not when what
 * they need is unavailable to all of them.
 */
export class Batcher<Item, Result> {
  readonly #options: BatcherOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isRunning = false;

  constructor(options: BatcherOptions<Item, Result>) {
    this.#options = options;
  }

  /** The result of this item. Rejects as `work` does. */
  run(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    const { itemsMax, gatherMs } = this.#options;
    this.#isRunning = true;
    while (this.#waiting.length > 0) {
      if (this.#waiting.length < itemsMax) await setTimeout(gatherMs);
      await this.#runBatch(this.#waiting.splice(0, itemsMax));
    }
    this.#isRunning = false;
  }

  async #runBatch(batch: readonly Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.#options.work(batch.map(({ item }) => item));
      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as Result);
    } catch (error) {
      const [first, ...others] = batch;
      if (others.length === 0 || codeOf(error) === "unavailable") for (const { reject } of batch) reject(error);
      else for (const one of [first as Waiting<Item, Result>, ...others]) await this.#runBatch([one]);
    }
  }
}
