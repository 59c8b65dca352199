import { strict as assert } from "node:assert";

/**
 * How a spoken word travels as bytes:
 *
 *     0xFE | the word in UTF-8 | 0xFF | CRC-21 of the word, most significant bits first, in three bytes below 0x80
 *
 * Neither mark occurs in UTF-8 or in the checksum, so that 0xFE begins a word wherever it stands: a reader that lost its
 * place has it again with the next word.
 */
const START = 0xfe;
const END = 0xff;
const CHECK_BYTES = 3;

/**
 * A frame whose checksum is wrong is tried again with one or two of its least certain bits inverted: codecs for speech damage a
 * bit here and there. Up to 125 bytes any two right frames differ in six bits or more, so that a frame with up to three wrong
 * bits becomes the word that was sent, or none; of what is damaged more, one in 100,000 passes for another word.
 */
const UNCERTAIN_BITS = 6;

/** Longer words are not carried. Far above any word, and enough for a sentence of a script without spaces. */
export const WORD_BYTES_MAX = 1_024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What can be carried: no white space, nor control characters, which are nothing that can be said. */
const ENCODABLE = /^[^\s\p{Cc}]+$/u;

/** The frame of a word without white space; undefined when it cannot be carried, or is too long. */
export function wordFrame(word: string): Uint8Array | undefined {
  assert.match(word, /^\S+$/u);
  const text = encoder.encode(word);
  if (text.length > WORD_BYTES_MAX || !ENCODABLE.test(word)) return undefined;
  const frame = new Uint8Array(1 + text.length + 1 + CHECK_BYTES);
  const check = crc21(text, text.length);
  frame[0] = START;
  frame.set(text, 1);
  frame.set([END, check >>> 14, (check >>> 7) & 0x7f, check & 0x7f], 1 + text.length);
  return frame;
}

/** Reads frames from a stream of bytes with errors and gaps. What is no whole frame, nor nearly one, is dropped. */
export class WordFrameReader {
  /** The word, and behind it its checksum. */
  readonly #bytes = new Uint8Array(WORD_BYTES_MAX + CHECK_BYTES);
  readonly #uncertain = new UncertainBits();
  #length = 0;
  /** Checksum bytes read so far; undefined while the word itself is read. */
  #checkBytes: number | undefined;
  #inFrame = false;

  /** A frame has begun and is not over. */
  get inFrame(): boolean {
    return this.#inFrame;
  }

  /** The line was lost: what has come of the frame is worth nothing. */
  lost(): void {
    this.#inFrame = false;
  }

  /**
   * Takes the next byte; returns the word that it completes, if any. `certainty` tells of each of its bits, from the least
   * significant on, how clearly it was read, in any unit; it is read before this returns.
   */
  read(byte: number, certainty: ArrayLike<number>): string | undefined {
    if (byte === START) {
      this.#inFrame = true;
      this.#length = 0;
      this.#checkBytes = undefined;
      this.#uncertain.clear();
    } else if (this.#inFrame) {
      if (this.#checkBytes !== undefined) return this.#readCheck(byte, certainty, this.#checkBytes);
      if (byte === END) this.#checkBytes = 0;
      else this.#readText(byte, certainty);
    }
    return undefined;
  }

  #readText(byte: number, certainty: ArrayLike<number>): void {
    if (this.#length === WORD_BYTES_MAX) {
      this.#inFrame = false;
      return;
    }
    this.#bytes[this.#length] = byte;
    this.#uncertain.add(this.#length, 8, certainty);
    this.#length += 1;
  }

  #readCheck(byte: number, certainty: ArrayLike<number>, bytesBefore: number): string | undefined {
    const at = this.#length + bytesBefore;
    // Its upper bit is 0 in every frame, whatever was read.
    this.#bytes[at] = byte & 0x7f;
    this.#uncertain.add(at, 7, certainty);
    this.#checkBytes = bytesBefore + 1;
    if (this.#checkBytes < CHECK_BYTES) return undefined;
    this.#inFrame = false;
    return this.#isRight() || this.#correct() ? this.#word() : undefined;
  }

  #isRight(): boolean {
    const bytes = this.#bytes;
    const [high, middle, low] = [bytes[this.#length], bytes[this.#length + 1], bytes[this.#length + 2]];
    return (((high as number) << 14) | ((middle as number) << 7) | (low as number)) === crc21(bytes, this.#length);
  }

  /** Inverts the one or two uncertain bits with which the frame is right; false when there are none. */
  #correct(): boolean {
    const { count } = this.#uncertain;
    for (let first = 0; first < count; first += 1) {
      this.#uncertain.invert(first, this.#bytes);
      if (this.#isRight()) return true;
      for (let second = first + 1; second < count; second += 1) {
        this.#uncertain.invert(second, this.#bytes);
        if (this.#isRight()) return true;
        this.#uncertain.invert(second, this.#bytes);
      }
      this.#uncertain.invert(first, this.#bytes);
    }
    return false;
  }

  #word(): string | undefined {
    try {
      const word = decoder.decode(this.#bytes.subarray(0, this.#length));
      return ENCODABLE.test(word) ? word : undefined;
    } catch {
      return undefined; // Not UTF-8: no word of ours, whatever its checksum says.
    }
  }
}

/** The least certain bits of a frame so far: at most UNCERTAIN_BITS. */
class UncertainBits {
  readonly #byteAt = new Int32Array(UNCERTAIN_BITS);
  readonly #mask = new Uint8Array(UNCERTAIN_BITS);
  readonly #certainty = new Float64Array(UNCERTAIN_BITS);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#count = 0;
  }

  /** Considers the lower `bits` bits of the byte at `byteAt`. */
  add(byteAt: number, bits: number, certainty: ArrayLike<number>): void {
    for (let bit = 0; bit < bits; bit += 1) {
      const slot = this.#slotFor(certainty[bit] as number);
      if (slot === undefined) continue;
      this.#byteAt[slot] = byteAt;
      this.#mask[slot] = 1 << bit;
      this.#certainty[slot] = certainty[bit] as number;
    }
  }

  invert(index: number, bytes: Uint8Array): void {
    const at = this.#byteAt[index] as number;
    bytes[at] = (bytes[at] as number) ^ (this.#mask[index] as number);
  }

  /** A free slot, or that of the most certain bit where the new one is less certain. */
  #slotFor(certainty: number): number | undefined {
    if (this.#count < UNCERTAIN_BITS) {
      this.#count += 1;
      return this.#count - 1;
    }
    let most = 0;
    for (let slot = 1; slot < UNCERTAIN_BITS; slot += 1) {
      if ((this.#certainty[slot] as number) > (this.#certainty[most] as number)) most = slot;
    }
    return certainty < (this.#certainty[most] as number) ? most : undefined;
  }
}

/** The CRC of CAN FD's longer frames (ISO 11898-1), polynomial 0x302899: a false word in two million that look like one. */
function crc21(bytes: Uint8Array, length: number): number {
  let crc = 0x10_0000;
  for (let at = 0; at < length; at += 1) {
    crc ^= (bytes[at] as number) << 13;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x10_0000 ? ((crc << 1) ^ 0x30_2899) & 0x1f_ffff : crc << 1;
  }
  return crc;
}
