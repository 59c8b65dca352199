import { strict as assert } from "node:assert";
import { asTurnId, type TurnId } from "../core/ids.ts";

/** One frame of a ring, borrowed: valid until the next `push` or `shift`. */
export interface RingFrame {
  readonly bytes: Uint8Array;
  /** The reply that the frame belongs to. */
  readonly turnId: TurnId;
}

/**
 * A fixed ring of frames of equal size, in any codec. `push` copies in, `shift` returns a borrowed view: no allocation
 * after construction.
 *
 * One buffer and one view through which frames are borrowed: an array for each frame would take more memory than its
 * bytes.
 */
export class FrameRing {
  readonly #capacityFrames: number;
  readonly #frameBytes: number;
  /** The frames, followed by the one that is borrowed. */
  readonly #bytes: Uint8Array;
  readonly #turnIds: TurnId[];
  readonly #borrowed: { readonly bytes: Uint8Array; turnId: TurnId };
  #head = 0;
  #count = 0;

  constructor(capacityFrames: number, frameBytes: number) {
    assert.ok(Number.isInteger(capacityFrames) && capacityFrames > 0);
    this.#capacityFrames = capacityFrames;
    this.#frameBytes = frameBytes;
    this.#bytes = new Uint8Array((capacityFrames + 1) * frameBytes);
    this.#turnIds = new Array<TurnId>(capacityFrames).fill(asTurnId(0));
    this.#borrowed = { bytes: this.#bytes.subarray(capacityFrames * frameBytes), turnId: asTurnId(0) };
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === this.#capacityFrames;
  }

  /** Returns false and stores nothing when the ring is full; the producer waits until there is room. */
  push(frame: Uint8Array, turnId: TurnId): boolean {
    if (this.isFull) return false;
    if (frame.length !== this.#frameBytes) assert.fail("frames of a ring are equal");
    const slot = (this.#head + this.#count) % this.#capacityFrames;
    this.#bytes.set(frame, slot * this.#frameBytes);
    this.#turnIds[slot] = turnId;
    this.#count += 1;
    return true;
  }

  /** Removes the oldest frame; undefined when empty. */
  shift(): RingFrame | undefined {
    if (this.#count === 0) return undefined;
    const from = this.#head * this.#frameBytes;
    this.#bytes.copyWithin(this.#capacityFrames * this.#frameBytes, from, from + this.#frameBytes);
    this.#borrowed.turnId = this.#turnIds[this.#head] as TurnId;
    this.#head = (this.#head + 1) % this.#capacityFrames;
    this.#count -= 1;
    return this.#borrowed;
  }

  clear(): void {
    this.#count = 0;
  }
}
