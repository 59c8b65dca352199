import { strict as assert } from "node:assert";

// Base64 (RFC 4648, section 4, padded), written into a message without allocation.

const PAD = 0x3d;
export const BASE64_CHARACTERS = Uint8Array.from(
  "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
  (character) => character.charCodeAt(0),
);

/** The two characters for each 12 bits, in memory order: storing both at once halves the work. */
const PAIRS = new Uint16Array(4_096);
const PAIR_CHARACTERS = new Uint8Array(PAIRS.buffer);
for (let bits = 0; bits < PAIRS.length; bits += 1) {
  PAIR_CHARACTERS[2 * bits] = BASE64_CHARACTERS[bits >> 6] as number;
  PAIR_CHARACTERS[2 * bits + 1] = BASE64_CHARACTERS[bits & 63] as number;
}

/** The memory of a message, with room for a text of `headBytes` before the payload. */
interface MessageMemory {
  readonly message: Uint8Array;
  /** The payload within it, and a view of the same memory by character pairs. */
  readonly characters: Uint8Array;
  readonly pairs: Uint16Array;
}

function messageMemory(headBytes: number, frameBytes: number, tail: Uint8Array): MessageMemory {
  const payloadChars = Math.ceil(frameBytes / 3) * 4;
  // Pairs need an even address, so the message may have to start at an odd one.
  const from = headBytes % 2;
  const payloadAt = from + headBytes;
  const memory = new ArrayBuffer(payloadAt + payloadChars + tail.length);
  const message = new Uint8Array(memory, from);
  message.set(tail, headBytes + payloadChars);
  // The padding after the last sample never changes.
  const characters = new Uint8Array(memory, payloadAt, payloadChars).fill(PAD);
  return { message, characters, pairs: new Uint16Array(memory, payloadAt, payloadChars / 2) };
}

/**
 * Shared by all streams whose messages have the same layout: memory for each of hundreds of streams would not fit in
 * the CPU caches. At most one entry for each length of text.
 */
const MEMORIES = new Map<string, MessageMemory>();

/** A text message that carries one frame as base64 between two constant texts. */
export class Base64Message {
  readonly #head: Uint8Array;
  readonly #memory: MessageMemory;
  readonly #frameBytes: number;

  constructor(before: string, frameBytes: number, after: string) {
    this.#head = new Uint8Array(Buffer.from(before));
    const likeness = `${this.#head.length} ${frameBytes} ${after}`;
    this.#memory = MEMORIES.get(likeness) ?? messageMemory(this.#head.length, frameBytes, Buffer.from(after));
    MEMORIES.set(likeness, this.#memory);
    this.#frameBytes = frameBytes;
  }

  /**
   * Writes one frame into the message. Returns the whole message: a view that the next `write` of any stream changes.
   */
  write(frame: Uint8Array): Uint8Array {
    if (frame.length !== this.#frameBytes) assert.fail("one frame at a time");
    const { message, characters, pairs } = this.#memory;
    message.set(this.#head);
    encodeTriples(frame, pairs);
    encodeRest(frame, characters);
    return message;
  }
}

/** Encodes all bytes but the last one or two where their number is not divisible by three. */
function encodeTriples(bytes: Uint8Array, pairs: Uint16Array): void {
  const end = bytes.length - (bytes.length % 3);
  let at = 0;
  for (let i = 0; i < end; i += 3) {
    const y = bytes[i + 1] as number;
    pairs[at] = PAIRS[((bytes[i] as number) << 4) | (y >> 4)] as number;
    pairs[at + 1] = PAIRS[((y & 15) << 8) | (bytes[i + 2] as number)] as number;
    at += 2;
  }
}

/** Encodes the last one or two bytes, which fill two or three of four characters. */
function encodeRest(bytes: Uint8Array, characters: Uint8Array): void {
  const rest = bytes.length % 3;
  if (rest === 0) return;
  const from = bytes.length - rest;
  const at = (from / 3) * 4;
  const x = bytes[from] as number;
  const y = rest === 2 ? (bytes[from + 1] as number) : 0;
  characters[at] = BASE64_CHARACTERS[x >> 2] as number;
  characters[at + 1] = BASE64_CHARACTERS[((x & 3) << 4) | (y >> 4)] as number;
  if (rest === 2) characters[at + 2] = BASE64_CHARACTERS[(y & 15) << 2] as number;
}
