import { mediaMs } from "../core/clocks.ts";
import type { G711Codec, InboundAudio } from "../wire/wire.ts";
import { decodeG711Base64 } from "./g711-base64.ts";

// The fast reader of inbound audio. Each wire states, byte for byte, how its carrier writes such a message; the scanner
// compares the constant text and reads the values between. Each `skip...` takes the index to read from and returns the
// index after what it has read, or -1; given -1 it returns -1.

/** A number without a use. The slots are the positions at which messages differ. */
export const NUMBER = 0;
/** The number for `InboundAudio.chunk`. */
export const CHUNK = 1;
/** The number for `InboundAudio.timestampMs`. */
export const TIMESTAMP = 2;
/** The audio in base64, ended by a quote. */
export const PAYLOAD = 3;

type Slot = typeof NUMBER | typeof CHUNK | typeof TIMESTAMP | typeof PAYLOAD;

/** The bytes of a text to compare, four at a time where possible. */
interface Literal {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}

/** One form of a message: text, slot, text, ..., slot, text. */
export interface MediaLayout {
  readonly texts: readonly Literal[];
  readonly slots: readonly Slot[];
}

const ZERO = 0x30;
const NINE = 0x39;
/** A double represents every number with this many digits exactly. */
const NUMBER_DIGITS_MAX = 15;

/** Text of one stream only, such as its id. The message must contain it as JSON writes it. */
interface OwnText {
  readonly own: string;
}

/**
 * A layout from its parts, in order. Streams share the text that is not their own: copies for hundreds of streams would
 * not fit in the CPU caches.
 */
export function mediaLayout(...parts: readonly (string | OwnText | Slot)[]): MediaLayout {
  const texts: Literal[] = [];
  const slots: Slot[] = [];
  let text = "";
  let isOwn = false;
  const endText = (): void => {
    texts.push(isOwn ? literal(text) : shared(text));
    text = "";
    isOwn = false;
  };
  for (const part of parts) {
    if (typeof part === "string") text += part;
    else if (typeof part === "object") {
      text += part.own;
      isOwn = true;
    } else {
      endText();
      slots.push(part);
    }
  }
  endText();
  return { texts, slots };
}

/**
 * Reads one message of the inbound track, without allocation. False means that the message has another form, valid or
 * not: then the full parse decides, and the content of `into` is undefined.
 */
export function scanMedia(
  message: Uint8Array,
  layouts: readonly MediaLayout[],
  codec: G711Codec,
  into: InboundAudio,
): boolean {
  for (let i = 0; i < layouts.length; i += 1) if (scan(message, layouts[i] as MediaLayout, codec, into)) return true;
  return false;
}

function scan(message: Uint8Array, { texts, slots }: MediaLayout, codec: G711Codec, into: InboundAudio): boolean {
  into.chunk = Number.NaN;
  into.timestampMs = mediaMs(Number.NaN);
  let at = skip(message, 0, texts[0] as Literal);
  for (let i = 0; i < slots.length; i += 1) {
    if (at === -1) return false;
    const slot = slots[i] as Slot;
    at = slot === PAYLOAD ? decodeG711Base64(message, at, codec, into) : skipNumber(message, at, slot, into);
    at = skip(message, at, texts[i + 1] as Literal);
  }
  return at === message.length;
}

/** At most one entry for each text of the carriers. */
const SHARED = new Map<string, Literal>();

function shared(text: string): Literal {
  const known = SHARED.get(text) ?? literal(text);
  SHARED.set(text, known);
  return known;
}

function literal(text: string): Literal {
  const bytes = new Uint8Array(Buffer.from(text));
  const words = Int32Array.from({ length: Math.floor(bytes.length / 4) }, (_, i) => wordAt(bytes, 4 * i));
  return { bytes, words };
}

function skip(message: Uint8Array, at: number, { bytes, words }: Literal): number {
  if (at === -1 || at + bytes.length > message.length) return -1;
  for (let i = 0; i < words.length; i += 1) if (wordAt(message, at + 4 * i) !== words[i]) return -1;
  for (let i = 4 * words.length; i < bytes.length; i += 1) if (message[at + i] !== bytes[i]) return -1;
  return at + bytes.length;
}

function wordAt(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] as number) | ((bytes[at + 1] as number) << 8);
  return low | ((bytes[at + 2] as number) << 16) | ((bytes[at + 3] as number) << 24);
}

/** Reads digits that mean the same with and without quotes: few enough, and without leading zeros. */
function skipNumber(message: Uint8Array, from: number, slot: Slot, into: InboundAudio): number {
  let value = 0;
  let at = from;
  for (; at < message.length; at += 1) {
    const byte = message[at] as number;
    if (byte < ZERO || byte > NINE) break;
    value = value * 10 + (byte - ZERO);
  }
  const digits = at - from;
  if (digits === 0 || digits > NUMBER_DIGITS_MAX) return -1;
  if (digits > 1 && message[from] === ZERO) return -1;
  if (slot === CHUNK) into.chunk = value;
  else if (slot === TIMESTAMP) into.timestampMs = mediaMs(value);
  return at;
}
