import { MARKS_OUTSTANDING_MAX } from "../../core/limits/calls/calls.ts";

/**
 * A peer's buffer of audio to play to the caller, in the codec of the stream, with the marks in it. Pure: the owner of the ticks
 * tells when a frame begins and ends. A frame that has begun is played to its end, like an RTP packet.
 */
export class PlaybackBuffer {
  readonly #silenceByte: number;
  readonly #bytesMax: number;
  /** Audio to play; the first `#headOffset` bytes of the first chunk have been played. */
  #queue: Uint8Array[] = [];
  #headOffset = 0;
  /** Pending marks, each with its playback position (bytes since the start). */
  #marks: { name: string; position: number }[] = [];
  /** Playback positions, in bytes since the start: the end of what was buffered, has begun to play, and has been played. */
  #bufferedTo = 0;
  #begunTo = 0;
  #playedTo = 0;

  /** `silenceByte` is played when the buffer is empty; it holds at most `bytesMax` of audio. */
  constructor(silenceByte: number, bytesMax: number) {
    this.#silenceByte = silenceByte;
    this.#bytesMax = bytesMax;
  }

  /** Bytes that have been played. Cleared ones are not included. */
  get playedBytes(): number {
    return this.#playedTo;
  }

  /** Pending bytes. */
  get bufferedBytes(): number {
    return this.#bufferedTo - this.#begunTo;
  }

  /** Buffers audio, which must not change afterwards. False, without effect, when there is no room. */
  push(bytes: Uint8Array): boolean {
    if (this.bufferedBytes + bytes.length > this.#bytesMax) return false;
    this.#queue.push(bytes);
    this.#bufferedTo += bytes.length;
    return true;
  }

  /** Sets a mark after the buffered audio. False when too many are pending already. */
  mark(name: string): boolean {
    if (this.#marks.length === MARKS_OUTSTANDING_MAX) return false;
    this.#marks.push({ name, position: this.#bufferedTo });
    return true;
  }

  /** Removes and returns the marks up to which everything has been played, in order. */
  takeReachedMarks(): string[] {
    const waiting = this.#marks.findIndex(({ position }) => position > this.#playedTo);
    return this.#marks.splice(0, waiting < 0 ? this.#marks.length : waiting).map(({ name }) => name);
  }

  /** Drops audio that has not begun to play, and returns the pending marks, in order. */
  clear(): string[] {
    this.#queue = [];
    this.#headOffset = 0;
    this.#bufferedTo = this.#begunTo;
    return this.#marks.splice(0).map(({ name }) => name);
  }

  /** Fills `frame` with the next audio, then with silence, and returns the number of audio bytes. */
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

  /** The current frame has been played. */
  endFrame(): void {
    this.#playedTo = this.#begunTo;
  }
}
