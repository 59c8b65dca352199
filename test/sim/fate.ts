import type { Chronicle } from "./chronicle.ts";
import type { Trouble } from "./kinds.ts";
import type { Random } from "./random.ts";

/** What a seed has in store for one part of the world: a source of chance of its own, and the troubles that may come about. */
export class Fate {
  readonly random: Random;
  readonly chronicle: Chronicle;
  readonly #troubles: ReadonlySet<Trouble>;

  constructor(random: Random, troubles: ReadonlySet<Trouble>, chronicle: Chronicle) {
    this.random = random;
    this.chronicle = chronicle;
    this.#troubles = troubles;
  }

  /** The trouble was drawn for this call. Whether it comes about is another question. */
  has(trouble: Trouble): boolean {
    return this.#troubles.has(trouble);
  }

  /** Whether a trouble comes about now; it is noted if so. */
  happens(trouble: Trouble, probability = 1): boolean {
    if (!this.#troubles.has(trouble) || !this.random.chance(probability)) return false;
    this.chronicle.note(trouble);
    return true;
  }

  /** The same for another part of the world. */
  fork(): Fate {
    return new Fate(this.random.fork(), this.#troubles, this.chronicle);
  }
}
