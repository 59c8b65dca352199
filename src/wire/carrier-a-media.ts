import { decodeMulawBase64 } from "./mulaw-base64.ts";
import type { InboundAudio } from "./wire.ts";

// The fast reader of carrier_a's inbound audio: it knows the two ways in which such a message is written, byte for byte, and
// reads the four values in it. Each `skip...` takes the index to read from and returns the index behind what it has read, or
// -1; given -1 it returns -1.

/** The bytes of a text, to compare with; four at a time as far as they go. */
interface Literal {
  readonly bytes: Uint8Array;
  readonly words: Int32Array;
}

/** One order of the members: what stands before the chunk's number and what behind the payload. */
export interface MediaLayout {
  readonly beforeChunk: Literal;
  readonly afterPayload: Literal;
}

const BEFORE_SEQUENCE_NUMBER = literal('{"event":"media","sequenceNumber":"');
const BEFORE_TIMESTAMP = literal('","timestamp":"');
const BEFORE_PAYLOAD = literal('","payload":"');

const ZERO = 0x30;
const NINE = 0x39;
/** A double holds every number of so many digits exactly. */
const TIMESTAMP_DIGITS_MAX = 15;

/** What ids look like in fact: printable ASCII that stands in JSON as it is. Streams with others have no fast reader. */
const PLAIN_ID = /^[ !#-[\]-~]+$/;

/** The layouts of one stream's messages; none if its id is too strange to be compared byte for byte. */
export function mediaLayouts(streamId: string): readonly MediaLayout[] {
  if (!PLAIN_ID.test(streamId)) return [];
  const stream = `"streamSid":"${streamId}"`;
  const media = '"media":{"track":"inbound","chunk":"';
  return [
    { beforeChunk: literal(`",${media}`), afterPayload: literal(`},${stream}}`) },
    { beforeChunk: literal(`",${stream},${media}`), afterPayload: literal("}}") },
  ];
}

/**
 * Reads one message of the inbound track, without allocation. False says that it is written otherwise, be it good or bad: the
 * full parse decides, and `into` holds nothing of use.
 */
export function scanMedia(message: Uint8Array, layouts: readonly MediaLayout[], into: InboundAudio): boolean {
  const numbered = skipDigits(message, skip(message, 0, BEFORE_SEQUENCE_NUMBER));
  for (let i = 0; i < layouts.length; i += 1) {
    const { beforeChunk, afterPayload } = layouts[i] as MediaLayout;
    let at = skip(message, numbered, beforeChunk);
    if (at === -1) continue;
    at = skip(message, skipDigits(message, at), BEFORE_TIMESTAMP);
    at = skip(message, skipTimestamp(message, at, into), BEFORE_PAYLOAD);
    at = at === -1 ? -1 : decodeMulawBase64(message, at, into);
    return skip(message, at, afterPayload) === message.length;
  }
  return false;
}

function literal(text: string): Literal {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
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

function skipDigits(message: Uint8Array, from: number): number {
  if (from === -1) return -1;
  let at = from;
  for (; at < message.length; at += 1) {
    const byte = message[at] as number;
    if (byte < ZERO || byte > NINE) break;
  }
  return at;
}

function skipTimestamp(message: Uint8Array, from: number, into: InboundAudio): number {
  const end = skipDigits(message, from);
  if (end === -1 || end === from || end - from > TIMESTAMP_DIGITS_MAX) return -1;
  let value = 0;
  for (let at = from; at < end; at += 1) value = value * 10 + ((message[at] as number) - ZERO);
  into.timestampMs = value;
  return end;
}
