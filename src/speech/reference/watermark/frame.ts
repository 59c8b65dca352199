import { strict as assert } from "node:assert";

/**
 * How a spoken word is encoded as bytes:
 *
 *     0xFE | the word in UTF-8 | 0xFF | CRC-21 of the word, most significant bits first, in three bytes below 0x80
 *
 * Neither 0xFE nor 0xFF occurs in UTF-8 or in the checksum, so 0xFE always begins a word, and a reader that lost
 * synchronisation has it again with the next word.
 */
const START = 0xfe;
const END = 0xff;
const CHECK_BYTES = 3;

/**
 * A frame with a wrong checksum is checked again with one or two of its least certain bits inverted, because speech
 * codecs damage single bits. Up to 125 bytes any two valid frames differ in at least six bits, so a frame with up to
 * three wrong bits becomes the word that was sent, or none. Of frames with more damage, one in 100,000 is taken for
 * another word.
 */
const UNCERTAIN_BITS = 6;

/** Longer words are not encoded. This is far above any word, and enough for a sentence of a script without spaces. */
export const WORD_BYTES_MAX = 1_024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What can be encoded: no white space and no control characters, which are not speakable. */
const ENCODABLE = /^[^\s\p{Cc}]+$/u;

/** The frame of a word without white space; undefined if it cannot be encoded or is too long. */
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

/** Reads frames from a stream of bytes with errors and gaps. It drops incomplete frames and those it cannot correct. */
export class WordFrameReader {
  /** The word, followed by its checksum. */
  readonly #bytes = new Uint8Array(WORD_BYTES_MAX + CHECK_BYTES);
  readonly #uncertain = new UncertainBits();
  #length = 0;
  /** Checksum bytes read so far; undefined while the word itself is read. */
  #checkBytes: number | undefined;
  #inFrame = false;

  /** A frame has begun and has not ended. */
  get inFrame(): boolean {
    return this.#inFrame;
  }

  /** The signal was lost: drops the bytes of the current frame. */
  lost(): void {
    this.#inFrame = false;
  }

  /**
   * Takes the next byte; returns the word that it completes, if any. `certainty` says how clearly each bit was read,
   * from the least significant on, in any unit. It is borrowed: it is read before this returns.
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
    // The upper bit is 0 in every valid frame, so it is cleared.
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

  /** Inverts one or two uncertain bits so that the checksum is right; returns false if no such bits exist. */
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
      return undefined; // Not UTF-8, so not a word that was sent, although the checksum is right.
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

/** The CRC of CAN FD's longer frames (ISO 11898-1), polynomial 0x302899: of two million random frames, one passes. */
function crc21(bytes: Uint8Array, length: number): number {
  let crc = 0x10_0000;
  for (let at = 0; at < length; at += 1) {
    crc ^= (bytes[at] as number) << 13;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x10_0000 ? ((crc << 1) ^ 0x30_2899) & 0x1f_ffff : crc << 1;
  }
  return crc;
}
