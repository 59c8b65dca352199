/** Frames that one block holds: half a second. */
const BLOCK_FRAMES = 25;

interface Block {
  samples: Int16Array;
  count: number;
  /** Where each of its frames ends, and whether somebody speaks in it. */
  ends: Uint32Array;
  isSpeech: Uint8Array;
  frames: number;
}

/**
 * The newest of the caller's frames, in order and in blocks: these are made as they are needed and used again, so that a call
 * whose caller is silent keeps next to nothing, and none is made for a frame.
 */
export class ReplayBuffer {
  readonly #frameSamples: number;
  readonly #blocksMax: number;
  #blocks: Block[] = [];
  readonly #free: Block[] = [];
  /** Frames that are kept, and how many of the first block are not any more. */
  #frames = 0;
  #droppedFrames = 0;

  /** Keeps at least `framesMax` frames, of about `frameSamples` samples each, and then drops the oldest. */
  constructor(frameSamples: number, framesMax: number) {
    this.#frameSamples = frameSamples;
    this.#blocksMax = Math.ceil(framesMax / BLOCK_FRAMES) + 1;
  }

  /** Takes a frame, lent. */
  push(frame: Int16Array, voiced: boolean): void {
    let block = this.#blocks.at(-1);
    if (block === undefined || block.frames === BLOCK_FRAMES || block.count + frame.length > block.samples.length) {
      block = this.#free.pop() ?? this.#newBlock();
      block.count = 0;
      block.frames = 0;
      this.#blocks.push(block);
      if (this.#blocks.length > this.#blocksMax) this.#dropFirstBlock();
    }
    block.samples.set(frame, block.count);
    block.count += frame.length;
    block.ends[block.frames] = block.count;
    block.isSpeech[block.frames] = Number(voiced);
    block.frames += 1;
    this.#frames += 1;
  }

  /** Drops what is older than the newest `frames`. */
  keepLast(frames: number): void {
    for (let first = this.#blocks[0]; first !== undefined; first = this.#blocks[0]) {
      const inFirst = first.frames - this.#droppedFrames;
      if (this.#frames - inFirst < frames) break;
      this.#dropFirstBlock();
    }
    const tooMany = Math.max(0, this.#frames - frames);
    this.#droppedFrames += tooMany;
    this.#frames -= tooMany;
  }

  /** Lends every frame to `write`, in order. */
  replay(write: (frame: Int16Array, voiced: boolean) => void): void {
    let passed = this.#droppedFrames;
    for (const { samples, ends, isSpeech, frames } of this.#blocks) {
      for (let frame = passed; frame < frames; frame += 1) {
        const start = frame === 0 ? 0 : (ends[frame - 1] as number);
        write(samples.subarray(start, ends[frame]), isSpeech[frame] === 1);
      }
      passed = 0;
    }
  }

  #dropFirstBlock(): void {
    const block = this.#blocks.shift();
    if (block === undefined) return;
    this.#frames -= block.frames - this.#droppedFrames;
    this.#droppedFrames = 0;
    // More than the next one is not needed again soon: memory is for callers who speak.
    if (this.#free.length === 0) this.#free.push(block);
  }

  #newBlock(): Block {
    return {
      // A resampler's frames are not all of one length.
      samples: new Int16Array((BLOCK_FRAMES + 1) * this.#frameSamples),
      count: 0,
      ends: new Uint32Array(BLOCK_FRAMES),
      isSpeech: new Uint8Array(BLOCK_FRAMES),
      frames: 0,
    };
  }
}
