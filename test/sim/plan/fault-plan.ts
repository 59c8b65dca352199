import type { Random } from "../../support/random.ts";
import type { Chronicle } from "../observer/chronicle.ts";
import type { Fault } from "./kinds.ts";

/** What a seed has in store for one part of the world: a source of chance of its own, and the troubles that may come about. */
export class FaultPlan {
  readonly random: Random;
  readonly chronicle: Chronicle;
  readonly #faults: ReadonlySet<Fault>;

  constructor(random: Random, troubles: ReadonlySet<Fault>, chronicle: Chronicle) {
    this.random = random;
    this.chronicle = chronicle;
    this.#faults = troubles;
  }

  /** The trouble was drawn for this call. Whether it comes about is another question. */
  has(trouble: Fault): boolean {
    return this.#faults.has(trouble);
  }

  /** Whether a trouble comes about now; it is noted if so. */
  occurs(trouble: Fault, probability = 1): boolean {
    if (!this.#faults.has(trouble) || !this.random.chance(probability)) return false;
    this.chronicle.note(trouble);
    return true;
  }

  /** The same for another part of the world. */
  fork(): FaultPlan {
    return new FaultPlan(this.random.fork(), this.#faults, this.chronicle);
  }
}
