import { strict as assert } from "node:assert";

/** One frame of a ring, lent: valid until the next `push` or `shift`. */
export interface RingFrame {
  readonly samples: Int16Array;
  /** The reply that the frame belongs to. */
  readonly turnId: number;
}

/**
 * A fixed ring of equal frames of signed 16-bit mono. `push` copies in, `shift` lends: no allocation after the constructor.
 *
 * One piece of memory, and one view of it that the frame is lent by: an array for each frame would weigh more than its samples.
 */
export class FrameRing {
  readonly #capacityFrames: number;
  readonly #frameSamples: number;
  /** The frames, and behind them the one that is lent. */
  readonly #samples: Int16Array;
  readonly #turnIds: number[];
  readonly #lent: { readonly samples: Int16Array; turnId: number };
  #head = 0;
  #count = 0;

  constructor(capacityFrames: number, frameSamples: number) {
    assert.ok(Number.isInteger(capacityFrames) && capacityFrames > 0);
    this.#capacityFrames = capacityFrames;
    this.#frameSamples = frameSamples;
    this.#samples = new Int16Array((capacityFrames + 1) * frameSamples);
    this.#turnIds = new Array<number>(capacityFrames).fill(0);
    this.#lent = { samples: this.#samples.subarray(capacityFrames * frameSamples), turnId: 0 };
  }

  get count(): number {
    return this.#count;
  }

  /** Returns false and takes nothing when the ring is full: whoever fills it waits until there is room. */
  push(samples: Int16Array, turnId: number): boolean {
    if (this.#count === this.#capacityFrames) return false;
    if (samples.length !== this.#frameSamples) assert.fail("frames of a ring are equal");
    const slot = (this.#head + this.#count) % this.#capacityFrames;
    this.#samples.set(samples, slot * this.#frameSamples);
    this.#turnIds[slot] = turnId;
    this.#count += 1;
    return true;
  }

  /** Takes the oldest frame out; undefined when empty. */
  shift(): RingFrame | undefined {
    if (this.#count === 0) return undefined;
    const from = this.#head * this.#frameSamples;
    this.#samples.copyWithin(this.#capacityFrames * this.#frameSamples, from, from + this.#frameSamples);
    this.#lent.turnId = this.#turnIds[this.#head] as number;
    this.#head = (this.#head + 1) % this.#capacityFrames;
    this.#count -= 1;
    return this.#lent;
  }

  clear(): void {
    this.#count = 0;
  }
}
