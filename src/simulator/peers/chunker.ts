import type { Random } from "../../core/seeded-random.ts";

/**
 * Cuts a stream of bytes into chunks of random lengths, regardless of frames and samples, like a client that sends whatever its
 * buffers hold. Each octave of lengths is equally likely.
 */
export class Chunker {
  readonly #random: Random;
  readonly #octaves: number;
  readonly #bytesMin: number;
  readonly #bytesMax: number;
  readonly #send: (chunk: Uint8Array) => void;
  /** The chunk being filled: `#filled` bytes of `#targetBytes`. */
  readonly #chunk: Uint8Array;
  #filled = 0;
  #targetBytes: number;

  /** `send` gets every full chunk; a chunk is valid until `send` returns. */
  constructor(random: Random, bytesMin: number, bytesMax: number, send: (chunk: Uint8Array) => void) {
    this.#random = random;
    this.#bytesMin = bytesMin;
    this.#bytesMax = bytesMax;
    this.#octaves = Math.log2(bytesMax / bytesMin);
    this.#send = send;
    this.#chunk = new Uint8Array(bytesMax);
    this.#targetBytes = this.#draw();
  }

  /** Takes bytes, which are read before this returns. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + this.#targetBytes - this.#filled);
      this.#chunk.set(part, this.#filled);
      this.#filled += part.length;
      at += part.length;
      if (this.#filled === this.#targetBytes) this.flush();
    }
  }

  /** Sends the bytes of the current chunk. */
  flush(): void {
    if (this.#filled > 0) this.#send(this.#chunk.subarray(0, this.#filled));
    this.#filled = 0;
    this.#targetBytes = this.#draw();
  }

  #draw(): number {
    return Math.min(this.#bytesMax, Math.round(this.#bytesMin * 2 ** (this.#random() * this.#octaves)));
  }
}
