/** The part of a WebSocket that is used here; must not be used after it is closed. */
interface Stream {
  /** Bytes that were sent and that the kernel has not taken, because the peer does not read. */
  getBufferedAmount(): number;
}

/** The streams that are open in this process. */
export class OpenStreams {
  readonly #streams = new Set<Stream>();

  add(stream: Stream): void {
    this.#streams.add(stream);
  }

  delete(stream: Stream): void {
    this.#streams.delete(stream);
  }

  /** The unsent bytes of all streams. */
  get bufferedBytes(): number {
    let bytes = 0;
    for (const stream of this.#streams) bytes += stream.getBufferedAmount();
    return bytes;
  }
}
