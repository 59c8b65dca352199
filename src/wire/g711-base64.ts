import { strict as assert } from "node:assert";
import { A_LAW, MU_LAW } from "../media/g711.ts";
import type { G711Codec, InboundAudio } from "./wire.ts";

// Base64 as of RFC 4648 section 4 and G.711 in one loop each way, on the bytes of a message and without allocation.
// Strict: padding is required, and bits that no byte claims are zero, so that every audio has exactly one spelling.

// The tables of mu-law and behind them those of A-law, as constants of this module, with indexes whose range can be seen: then
// the compiler leaves the bounds checks out.
const A_LAW_DECODE_AT = MU_LAW.decodeTable.length;
const DECODE = new Int16Array(2 * A_LAW_DECODE_AT);
DECODE.set(MU_LAW.decodeTable);
DECODE.set(A_LAW.decodeTable, A_LAW_DECODE_AT);
const A_LAW_ENCODE_AT = MU_LAW.encodeTable.length;
const ENCODE = new Uint8Array(2 * A_LAW_ENCODE_AT);
ENCODE.set(MU_LAW.encodeTable);
ENCODE.set(A_LAW.encodeTable, A_LAW_ENCODE_AT);

const QUOTE = 0x22;
const PAD = 0x3d;
const CHARACTERS = Uint8Array.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", (character) =>
  character.charCodeAt(0),
);
/** By character code; INVALID stands out from every union of values. */
const INVALID = 0x40;
const VALUES = new Uint8Array(256).fill(INVALID);
for (const [value, character] of CHARACTERS.entries()) VALUES[character] = value;

/**
 * Decodes the base64 that begins at `message[at]` and ends at a quote, by one of the two laws. Returns the index of the quote,
 * or -1 when it is empty, not strict base64, does not end, or does not fit; then `into` holds nothing of use.
 */
export function decodeG711Base64(message: Uint8Array, at: number, codec: G711Codec, into: InboundAudio): number {
  const { bytes, samples } = into;
  const law = codec === "alaw" ? A_LAW_DECODE_AT : 0;
  // As many groups of four as there is room for in `into`, and as the message can hold in front of a quote.
  const room = Math.floor(Math.min(bytes.length, samples.length) / 3);
  const end = at + 4 * Math.min(room, (message.length - 1 - at) >> 2);
  let count = 0;
  let i = at;
  for (; i < end; i += 4) {
    const a = VALUES[message[i] as number] as number;
    const b = VALUES[message[i + 1] as number] as number;
    const c = VALUES[message[i + 2] as number] as number;
    const d = VALUES[message[i + 3] as number] as number;
    if ((a | b | c | d) >= INVALID) break;
    const x = ((a << 2) | (b >> 4)) & 255;
    const y = ((b << 4) | (c >> 2)) & 255;
    const z = ((c << 6) | d) & 255;
    bytes[count] = x;
    bytes[count + 1] = y;
    bytes[count + 2] = z;
    samples[count] = DECODE[law + x] as number;
    samples[count + 1] = DECODE[law + y] as number;
    samples[count + 2] = DECODE[law + z] as number;
    count += 3;
  }
  into.count = count;
  if (message[i] !== QUOTE) i = decodePadded(message, i, law, into);
  return into.count === 0 ? -1 : i;
}

/** The last four characters, where one or two of them are padding. Returns the index of the quote behind them, or -1. */
function decodePadded(message: Uint8Array, at: number, law: number, into: InboundAudio): number {
  const { bytes, samples, count } = into;
  if (message[at + 3] !== PAD || message[at + 4] !== QUOTE) return -1;
  const a = VALUES[message[at] as number] as number;
  const b = VALUES[message[at + 1] as number] as number;
  const one = message[at + 2] === PAD;
  const c = one ? 0 : (VALUES[message[at + 2] as number] as number);
  const unclaimed = one ? b & 15 : c & 3;
  const added = one ? 1 : 2;
  if ((a | b | c) >= INVALID || unclaimed !== 0) return -1;
  if (count + added > Math.min(bytes.length, samples.length)) return -1;
  bytes[count] = (a << 2) | (b >> 4);
  samples[count] = DECODE[law + (bytes[count] as number)] as number;
  if (!one) {
    bytes[count + 1] = ((b & 15) << 4) | (c >> 2);
    samples[count + 1] = DECODE[law + (bytes[count + 1] as number)] as number;
  }
  into.count = count + added;
  return at + 4;
}

/** The two characters of each 12 bits, as they lie in memory: storing them as one halves the work. */
const PAIRS = new Uint16Array(4_096);
const PAIR_CHARACTERS = new Uint8Array(PAIRS.buffer);
for (let bits = 0; bits < PAIRS.length; bits += 1) {
  PAIR_CHARACTERS[2 * bits] = CHARACTERS[bits >> 6] as number;
  PAIR_CHARACTERS[2 * bits + 1] = CHARACTERS[bits & 63] as number;
}

/** The memory of a message, with room for a text of `headBytes` in front of the payload. */
interface MessageMemory {
  readonly message: Uint8Array;
  /** The payload within it, and the same by twos. */
  readonly characters: Uint8Array;
  readonly pairs: Uint16Array;
}

function messageMemory(headBytes: number, frameSamples: number, tail: Uint8Array): MessageMemory {
  const payloadChars = Math.ceil(frameSamples / 3) * 4;
  // Pairs must begin at an even address, so the message may have to begin at an odd one.
  const from = headBytes % 2;
  const payloadAt = from + headBytes;
  const memory = new ArrayBuffer(payloadAt + payloadChars + tail.length);
  const message = new Uint8Array(memory, from);
  message.set(tail, headBytes + payloadChars);
  // The padding behind the last sample stays for good.
  const characters = new Uint8Array(memory, payloadAt, payloadChars).fill(PAD);
  return { message, characters, pairs: new Uint16Array(memory, payloadAt, payloadChars / 2) };
}

/** Shared by all streams whose messages are alike: with hundreds of them caches hold little. As many as texts have lengths. */
const MEMORIES = new Map<string, MessageMemory>();

/** A text message that carries one frame of G.711 as base64 between two texts that never change. */
export class G711Message {
  readonly #head: Uint8Array;
  readonly #memory: MessageMemory;
  readonly #frameSamples: number;
  readonly #codec: G711Codec;

  constructor(before: string, frameSamples: number, codec: G711Codec, after: string) {
    this.#head = new Uint8Array(Buffer.from(before));
    const likeness = `${this.#head.length} ${frameSamples} ${after}`;
    this.#memory = MEMORIES.get(likeness) ?? messageMemory(this.#head.length, frameSamples, Buffer.from(after));
    MEMORIES.set(likeness, this.#memory);
    this.#frameSamples = frameSamples;
    this.#codec = codec;
  }

  /**
   * Encodes one frame into the message, and in its codec into the front of `bytes`. Returns the whole message: a view that the
   * next `write` of any stream changes.
   */
  write(samples: Int16Array, bytes: Uint8Array): Uint8Array {
    if (samples.length !== this.#frameSamples) assert.fail("one frame at a time");
    if (bytes.length < this.#frameSamples) assert.fail("no room for the frame in the leg's own codec");
    const { message, characters, pairs } = this.#memory;
    message.set(this.#head);
    encodeTriples(samples, bytes, this.#codec, pairs);
    encodeRest(samples, bytes, this.#codec, characters);
    return message;
  }
}

/** All samples but the last one or two, where their number is not divisible by three. */
function encodeTriples(samples: Int16Array, bytes: Uint8Array, codec: G711Codec, pairs: Uint16Array): void {
  const law = codec === "alaw" ? A_LAW_ENCODE_AT : 0;
  const end = samples.length - (samples.length % 3);
  let at = 0;
  for (let i = 0; i < end; i += 3) {
    const x = ENCODE[law + ((samples[i] as number) & 0xffff)] as number;
    const y = ENCODE[law + ((samples[i + 1] as number) & 0xffff)] as number;
    const z = ENCODE[law + ((samples[i + 2] as number) & 0xffff)] as number;
    bytes[i] = x;
    bytes[i + 1] = y;
    bytes[i + 2] = z;
    pairs[at] = PAIRS[(x << 4) | (y >> 4)] as number;
    pairs[at + 1] = PAIRS[((y & 15) << 8) | z] as number;
    at += 2;
  }
}

/** The last one or two samples, which fill two or three of four characters. */
function encodeRest(samples: Int16Array, bytes: Uint8Array, codec: G711Codec, characters: Uint8Array): void {
  const rest = samples.length % 3;
  if (rest === 0) return;
  const law = codec === "alaw" ? A_LAW_ENCODE_AT : 0;
  const from = samples.length - rest;
  const at = (from / 3) * 4;
  const x = ENCODE[law + ((samples[from] as number) & 0xffff)] as number;
  const y = rest === 2 ? (ENCODE[law + ((samples[from + 1] as number) & 0xffff)] as number) : 0;
  bytes[from] = x;
  characters[at] = CHARACTERS[x >> 2] as number;
  characters[at + 1] = CHARACTERS[((x & 3) << 4) | (y >> 4)] as number;
  if (rest === 1) return;
  bytes[from + 1] = y;
  characters[at + 2] = CHARACTERS[(y & 15) << 2] as number;
}
