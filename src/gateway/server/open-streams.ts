/** As much of a WebSocket as is asked here; once it is closed it may not be asked for anything. */
interface Stream {
  /** Bytes that it was given and that the kernel has not taken, because the peer does not read. */
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

  /** What waits for the peers of all of them. */
  get bufferedBytes(): number {
    let bytes = 0;
    for (const stream of this.#streams) bytes += stream.getBufferedAmount();
    return bytes;
  }
}
