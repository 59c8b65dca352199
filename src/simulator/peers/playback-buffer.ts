import { MARKS_OUTSTANDING_MAX } from "../../core/limits/calls.ts";

/**
 * What a peer keeps to play to the caller: audio in the leg's own codec, and marks between it. Pure: whoever keeps
 * the beat says when a frame begins and ends. A frame that has begun is played to its end, as an RTP packet is.
 */
export class PlaybackBuffer {
  readonly #silenceByte: number;
  readonly #bytesMax: number;
  /** Audio to be played; its first `#headOffset` bytes have been. */
  #queue: Uint8Array[] = [];
  #headOffset = 0;
  /** Marks that wait, with the playback position (bytes since the start) they wait for. */
  #marks: { name: string; position: number }[] = [];
  /** Playback positions, in bytes since the start: what has been buffered, has begun to play, and has been played. */
  #bufferedTo = 0;
  #begunTo = 0;
  #playedTo = 0;

  /** `silenceByte` sounds where nothing is buffered; of audio at most `bytesMax` wait. */
  constructor(silenceByte: number, bytesMax: number) {
    this.#silenceByte = silenceByte;
    this.#bytesMax = bytesMax;
  }

  /** Bytes that have been played to their end. Cleared ones are not among them. */
  get playedBytes(): number {
    return this.#playedTo;
  }

  /** Pending bytes. */
  get bufferedBytes(): number {
    return this.#bufferedTo - this.#begunTo;
  }

  /** Takes audio, which is kept and must not change any more. False, and nothing is taken, when there is no room. */
  push(bytes: Uint8Array): boolean {
    if (this.bufferedBytes + bytes.length > this.#bytesMax) return false;
    this.#queue.push(bytes);
    this.#bufferedTo += bytes.length;
    return true;
  }

  /** Sets a mark behind everything there is. False when too many wait already. */
  mark(name: string): boolean {
    if (this.#marks.length === MARKS_OUTSTANDING_MAX) return false;
    this.#marks.push({ name, position: this.#bufferedTo });
    return true;
  }

  /** Takes the marks off before which everything has been played, in order. */
  takeReachedMarks(): string[] {
    const waiting = this.#marks.findIndex(({ position }) => position > this.#playedTo);
    return this.#marks.splice(0, waiting < 0 ? this.#marks.length : waiting).map(({ name }) => name);
  }

  /** Drops what has not begun to play, and returns the marks that waited, in order. */
  clear(): string[] {
    this.#queue = [];
    this.#headOffset = 0;
    this.#bufferedTo = this.#begunTo;
    return this.#marks.splice(0).map(({ name }) => name);
  }

  /** Fills `frame` with what sounds next, with silence where there is nothing, and returns how much of it is audio. */
  beginFrame(frame: Uint8Array): number {
    let bytes = 0;
    while (bytes < frame.length) {
      const head = this.#queue[0];
      if (head === undefined) break;
      const count = Math.min(head.length - this.#headOffset, frame.length - bytes);
      frame.set(head.subarray(this.#headOffset, this.#headOffset + count), bytes);
      bytes += count;
      this.#headOffset += count;
      if (this.#headOffset === head.length) {
        this.#queue.shift();
        this.#headOffset = 0;
      }
    }
    frame.fill(this.#silenceByte, bytes);
    this.#begunTo += bytes;
    return bytes;
  }

  /** The frame that was begun last has been played. */
  endFrame(): void {
    this.#playedTo = this.#begunTo;
  }
}
