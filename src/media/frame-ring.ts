import { strict as assert } from "node:assert";

/** One frame of a ring, lent: valid until the next `push`. */
export interface RingFrame {
  readonly samples: Int16Array;
  /** The reply that the frame belongs to. */
  readonly turnId: number;
}

/** A fixed ring of equal frames of signed 16-bit mono. `push` copies in, `shift` lends: no allocation after the constructor. */
export class FrameRing {
  readonly #slots: { samples: Int16Array; turnId: number }[];
  #head = 0;
  #count = 0;

  constructor(capacityFrames: number, frameSamples: number) {
    assert.ok(Number.isInteger(capacityFrames) && capacityFrames > 0);
    this.#slots = Array.from({ length: capacityFrames }, () => ({
      samples: new Int16Array(frameSamples),
      turnId: 0,
    }));
  }

  get count(): number {
    return this.#count;
  }

  /** Returns false and takes nothing when the ring is full: whoever fills it waits until there is room. */
  push(samples: Int16Array, turnId: number): boolean {
    if (this.#count === this.#slots.length) return false;
    const slot = this.#slots[(this.#head + this.#count) % this.#slots.length];
    if (slot?.samples.length !== samples.length) assert.fail("frames of a ring are equal");
    slot.samples.set(samples);
    slot.turnId = turnId;
    this.#count += 1;
    return true;
  }

  /** Takes the oldest frame out; undefined when empty. */
  shift(): RingFrame | undefined {
    if (this.#count === 0) return undefined;
    const slot = this.#slots[this.#head];
    this.#head = (this.#head + 1) % this.#slots.length;
    this.#count -= 1;
    return slot;
  }

  clear(): void {
    this.#count = 0;
  }
}
