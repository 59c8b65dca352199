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

/** Longer words are not carried. Far above any word, and enough for a sentence of a script without spaces. */
export const WORD_BYTES_MAX = 1_024;

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** What can be carried: no white space, nor control characters, which are nothing that can be said. */
const CARRIED = /^[^\s\p{Cc}]+$/u;

/** The frame of a word without white space; undefined when it cannot be carried, or is too long. */
export function wordFrame(word: string): Uint8Array | undefined {
  assert.match(word, /^\S+$/u);
  const text = encoder.encode(word);
  if (text.length > WORD_BYTES_MAX || !CARRIED.test(word)) return undefined;
  const frame = new Uint8Array(1 + text.length + 1 + CHECK_BYTES);
  const check = crc21(text, text.length);
  frame[0] = START;
  frame.set(text, 1);
  frame.set([END, check >>> 14, (check >>> 7) & 0x7f, check & 0x7f], 1 + text.length);
  return frame;
}

/** Reads frames from a stream of bytes with errors and gaps. What is not a whole frame with the right checksum is passed over. */
export class WordFrameReader {
  readonly #text = new Uint8Array(WORD_BYTES_MAX);
  #length = 0;
  #check = 0;
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

  /** Takes the next byte; returns the word that it completes, if any. */
  read(byte: number): string | undefined {
    if (byte === START) {
      this.#inFrame = true;
      this.#length = 0;
      this.#check = 0;
      this.#checkBytes = undefined;
    } else if (this.#inFrame) {
      if (this.#checkBytes !== undefined) return this.#readCheck(byte, this.#checkBytes);
      if (byte === END) this.#checkBytes = 0;
      else this.#readText(byte);
    }
    return undefined;
  }

  #readText(byte: number): void {
    if (this.#length === WORD_BYTES_MAX) {
      this.#inFrame = false;
      return;
    }
    this.#text[this.#length] = byte;
    this.#length += 1;
  }

  #readCheck(byte: number, bytesBefore: number): string | undefined {
    if (byte > 0x7f) {
      this.#inFrame = false;
      return undefined;
    }
    this.#check = (this.#check << 7) | byte;
    this.#checkBytes = bytesBefore + 1;
    if (this.#checkBytes < CHECK_BYTES) return undefined;
    this.#inFrame = false;
    return this.#check === crc21(this.#text, this.#length) ? this.#word() : undefined;
  }

  #word(): string | undefined {
    try {
      const word = decoder.decode(this.#text.subarray(0, this.#length));
      return CARRIED.test(word) ? word : undefined;
    } catch {
      return undefined; // Not UTF-8: no word of ours, whatever its checksum says.
    }
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
