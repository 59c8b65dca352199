import { strict as assert } from "node:assert";

/** One frame of a ring, lent: valid until the next `push` or `shift`. */
export interface RingFrame {
  readonly bytes: Uint8Array;
  /** The reply that the frame belongs to. */
  readonly turnId: number;
}

/**
 * A fixed ring of equal frames, in whatever codec. `push` copies in, `shift` lends: no allocation after the constructor.
 *
 * One piece of memory, and one view of it that the frame is lent by: an array for each frame would weigh more than its bytes.
 */
export class FrameRing {
  readonly #capacityFrames: number;
  readonly #frameBytes: number;
  /** The frames, and behind them the one that is lent. */
  readonly #bytes: Uint8Array;
  readonly #turnIds: number[];
  readonly #borrowed: { readonly bytes: Uint8Array; turnId: number };
  #head = 0;
  #count = 0;

  constructor(capacityFrames: number, frameBytes: number) {
    assert.ok(Number.isInteger(capacityFrames) && capacityFrames > 0);
    this.#capacityFrames = capacityFrames;
    this.#frameBytes = frameBytes;
    this.#bytes = new Uint8Array((capacityFrames + 1) * frameBytes);
    this.#turnIds = new Array<number>(capacityFrames).fill(0);
    this.#borrowed = { bytes: this.#bytes.subarray(capacityFrames * frameBytes), turnId: 0 };
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === this.#capacityFrames;
  }

  /** Returns false and takes nothing when the ring is full: whoever fills it waits until there is room. */
  push(frame: Uint8Array, turnId: number): boolean {
    if (this.isFull) return false;
    if (frame.length !== this.#frameBytes) assert.fail("frames of a ring are equal");
    const slot = (this.#head + this.#count) % this.#capacityFrames;
    this.#bytes.set(frame, slot * this.#frameBytes);
    this.#turnIds[slot] = turnId;
    this.#count += 1;
    return true;
  }

  /** Takes the oldest frame out; undefined when empty. */
  shift(): RingFrame | undefined {
    if (this.#count === 0) return undefined;
    const from = this.#head * this.#frameBytes;
    this.#bytes.copyWithin(this.#capacityFrames * this.#frameBytes, from, from + this.#frameBytes);
    this.#borrowed.turnId = this.#turnIds[this.#head] as number;
    this.#head = (this.#head + 1) % this.#capacityFrames;
    this.#count -= 1;
    return this.#borrowed;
  }

  clear(): void {
    this.#count = 0;
  }
}
