import type { SpeechActivity, SpeechEdge } from "../../media/voice-activity/speech-activity.ts";

/** Frames that one block holds: half a second. */
const BLOCK_FRAMES = 25;
/** The activity of a frame in one byte: an index into EDGES and two flags. */
const EDGES: readonly SpeechEdge[] = ["same", "started", "ended"];
const EDGE_BITS = 0b0011;
const IS_SPEECH = 0b0100;
const IS_SPEAKING = 0b1000;

interface Block {
  samples: Int16Array;
  count: number;
  /** Where each of its frames ends, and the caller's speech at that frame. */
  ends: Uint32Array;
  flags: Uint8Array;
  speechFrames: Uint32Array;
  silentFrames: Uint32Array;
  frames: number;
}

/**
 * The caller's newest frames, in order, stored in blocks. Blocks are allocated on demand and reused, so a call with a
 * silent caller uses almost no memory, and storing a frame allocates nothing.
 */
export class ReplayBuffer {
  readonly #frameSamples: number;
  readonly #blocksMax: number;
  #blocks: Block[] = [];
  readonly #free: Block[] = [];
  /** Frames in the buffer, and how many frames of the first block are dropped. */
  #frames = 0;
  #droppedFrames = 0;

  /** Holds at least `framesMax` frames, of about `frameSamples` samples each, and drops the oldest beyond that. */
  constructor(frameSamples: number, framesMax: number) {
    this.#frameSamples = frameSamples;
    this.#blocksMax = Math.ceil(framesMax / BLOCK_FRAMES) + 1;
  }

  /** Stores a copy of `frame` and of `activity`. */
  push(frame: Int16Array, activity: SpeechActivity): void {
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
    block.flags[block.frames] = flagsOf(activity);
    block.speechFrames[block.frames] = activity.speechFrames;
    block.silentFrames[block.frames] = activity.silentFrames;
    block.frames += 1;
    this.#frames += 1;
  }

  /** Drops all but the newest `frames` frames. */
  keepLast(frames: number): void {
    for (let first = this.#blocks[0]; first !== undefined; first = this.#blocks[0]) {
      const firstFrames = first.frames - this.#droppedFrames;
      if (this.#frames - firstFrames < frames) break;
      this.#dropFirstBlock();
    }
    const excess = Math.max(0, this.#frames - frames);
    this.#droppedFrames += excess;
    this.#frames -= excess;
  }

  /** Passes every frame to `write` with its activity, in order. Both are borrowed: valid until `write` returns. */
  replay(write: (frame: Int16Array, activity: SpeechActivity) => void): void {
    let skipped = this.#droppedFrames;
    for (const block of this.#blocks) {
      for (let frame = skipped; frame < block.frames; frame += 1) {
        const start = frame === 0 ? 0 : (block.ends[frame - 1] as number);
        write(block.samples.subarray(start, block.ends[frame]), activityOf(block, frame));
      }
      skipped = 0;
    }
  }

  #dropFirstBlock(): void {
    const block = this.#blocks.shift();
    if (block === undefined) return;
    this.#frames -= block.frames - this.#droppedFrames;
    this.#droppedFrames = 0;
    // One spare block is enough for reuse; more would hold memory that calls with speaking callers need.
    if (this.#free.length === 0) this.#free.push(block);
  }

  #newBlock(): Block {
    return {
      // Room for one frame more, because a resampler's frames vary in length.
      samples: new Int16Array((BLOCK_FRAMES + 1) * this.#frameSamples),
      count: 0,
      ends: new Uint32Array(BLOCK_FRAMES),
      flags: new Uint8Array(BLOCK_FRAMES),
      speechFrames: new Uint32Array(BLOCK_FRAMES),
      silentFrames: new Uint32Array(BLOCK_FRAMES),
      frames: 0,
    };
  }
}

const flagsOf = ({ edge, isSpeech, isSpeaking }: SpeechActivity): number =>
  EDGES.indexOf(edge) | (isSpeech ? IS_SPEECH : 0) | (isSpeaking ? IS_SPEAKING : 0);

function activityOf({ flags, speechFrames, silentFrames }: Block, frame: number): SpeechActivity {
  const bits = flags[frame] as number;
  return {
    isSpeech: (bits & IS_SPEECH) !== 0,
    isSpeaking: (bits & IS_SPEAKING) !== 0,
    edge: EDGES[bits & EDGE_BITS] as SpeechEdge,
    speechFrames: speechFrames[frame] as number,
    silentFrames: silentFrames[frame] as number,
  };
}
