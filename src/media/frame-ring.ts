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
 * after construction. The last `pastFrames` frames that were shifted can be put back by `rewind`.
 *
 * One buffer and one view through which frames are borrowed: an array for each frame would take more memory than its
 * bytes.
 */
export class FrameRing {
  readonly #capacityFrames: number;
  readonly #pastFramesMax: number;
  /** Slots for frames: those to come, and those that `rewind` can put back. */
  readonly #slots: number;
  readonly #frameBytes: number;
  /** The frames, followed by the one that is borrowed. */
  readonly #bytes: Uint8Array;
  readonly #turnIds: TurnId[];
  readonly #borrowed: { readonly bytes: Uint8Array; turnId: TurnId };
  #head = 0;
  #count = 0;
  /** Shifted frames before the head that are still there. */
  #pastFrames = 0;

  constructor(capacityFrames: number, frameBytes: number, pastFrames = 0) {
    assert.ok(Number.isInteger(capacityFrames) && capacityFrames > 0);
    this.#capacityFrames = capacityFrames;
    this.#pastFramesMax = pastFrames;
    this.#slots = capacityFrames + pastFrames;
    this.#frameBytes = frameBytes;
    this.#bytes = new Uint8Array((this.#slots + 1) * frameBytes);
    this.#turnIds = new Array<TurnId>(this.#slots).fill(asTurnId(0));
    this.#borrowed = { bytes: this.#bytes.subarray(this.#slots * frameBytes), turnId: asTurnId(0) };
  }

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count >= this.#capacityFrames;
  }

  /** Returns false and stores nothing when the ring is full; the producer waits until there is room. */
  push(frame: Uint8Array, turnId: TurnId): boolean {
    if (this.isFull) return false;
    if (frame.length !== this.#frameBytes) assert.fail("frames of a ring are equal");
    const slot = (this.#head + this.#count) % this.#slots;
    this.#bytes.set(frame, slot * this.#frameBytes);
    this.#turnIds[slot] = turnId;
    this.#count += 1;
    return true;
  }

  /** Removes the oldest frame; undefined when empty. */
  shift(): RingFrame | undefined {
    if (this.#count === 0) return undefined;
    const from = this.#head * this.#frameBytes;
    this.#bytes.copyWithin(this.#slots * this.#frameBytes, from, from + this.#frameBytes);
    this.#borrowed.turnId = this.#turnIds[this.#head] as TurnId;
    this.#head = (this.#head + 1) % this.#slots;
    this.#count -= 1;
    if (this.#pastFrames < this.#pastFramesMax) this.#pastFrames += 1;
    return this.#borrowed;
  }

  /** Puts the last frames that were shifted back, as many of `frames` as are there. */
  rewind(frames: number): void {
    const count = Math.min(frames, this.#pastFrames);
    this.#head = (this.#head + this.#slots - count) % this.#slots;
    this.#count += count;
    this.#pastFrames -= count;
  }

  clear(): void {
    this.#count = 0;
    this.#pastFrames = 0;
  }
}
