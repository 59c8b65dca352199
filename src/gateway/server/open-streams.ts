import type { Transport } from "../transport/transport.ts";

/** The streams that are open in this process. */
export class OpenStreams {
  readonly #streams = new Set<Pick<Transport, "bufferedBytes">>();

  add(stream: Pick<Transport, "bufferedBytes">): void {
    this.#streams.add(stream);
  }

  delete(stream: Pick<Transport, "bufferedBytes">): void {
    this.#streams.delete(stream);
  }

  /** The unsent bytes of all streams. */
  get bufferedBytes(): number {
    let bytes = 0;
    for (const stream of this.#streams) bytes += stream.bufferedBytes;
    return bytes;
  }
}
