/**
 * Views of parts of a buffer that is used again for each message, made once for each length: a new one for each message
 * would be an object on the heap for each frame. For the bytes of another buffer all are made anew.
 */
export class BorrowedViews {
  #buffer: ArrayBufferLike | undefined;
  #start = 0;
  readonly #byLength = new Map<number, Uint8Array>();

  /** `bytes` from `from` to `to`: borrowed as `bytes` is. */
  of(bytes: Uint8Array, from: number, to: number): Uint8Array {
    const { buffer } = bytes;
    const start = bytes.byteOffset + from;
    if (buffer !== this.#buffer || start !== this.#start) {
      this.#buffer = buffer;
      this.#start = start;
      this.#byLength.clear();
    }
    const known = this.#byLength.get(to - from);
    if (known !== undefined) return known;
    const view = new Uint8Array(buffer, start, to - from);
    this.#byLength.set(to - from, view);
    return view;
  }
}
