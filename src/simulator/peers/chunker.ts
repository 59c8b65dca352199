import type { Random } from "../seeded-random.ts";

/**
 * Cuts a stream of bytes into pieces of drawn lengths, wherever its frames and samples end: what a client may do that
 * sends whatever its buffers hold. Short pieces are as likely as long ones, octave by octave.
 */
export class Chunker {
  readonly #random: Random;
  readonly #octaves: number;
  readonly #bytesMin: number;
  readonly #bytesMax: number;
  readonly #send: (piece: Uint8Array) => void;
  /** The piece that is being filled, `#filled` bytes of it, until it is `#due` long. */
  readonly #chunk: Uint8Array;
  #filled = 0;
  #targetBytes: number;

  /** `send` gets every piece once it is full; a piece is valid until `send` returns. */
  constructor(random: Random, bytesMin: number, bytesMax: number, send: (piece: Uint8Array) => void) {
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

  /** Sends what there is of a piece. */
  flush(): void {
    if (this.#filled > 0) this.#send(this.#chunk.subarray(0, this.#filled));
    this.#filled = 0;
    this.#targetBytes = this.#draw();
  }

  #draw(): number {
    return Math.min(this.#bytesMax, Math.round(this.#bytesMin * 2 ** (this.#random() * this.#octaves)));
  }
}
