import { MESSAGE_PART_BYTES, MESSAGE_PARTS_FREE } from "../core/limits/streams/messages.ts";

// The cost of fully parsing a carrier's message, determined in one pass over its bytes, without a parse or allocation.

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
/** 1 for the bytes that separate or enclose the parts of JSON: `{`, `}`, `[`, `]`, `,` and `:`. */
const IS_PART = new Uint8Array(256);
for (const character of "{}[],:") IS_PART[character.charCodeAt(0)] = 1;
const PAYLOAD_KEY = new Uint8Array(Buffer.from("payload"));

/**
 * The bytes for which a carrier's message is charged before it is parsed: those outside the first string member named
 * `payload`, and MESSAGE_PART_BYTES for each part of JSON beyond MESSAGE_PARTS_FREE. A payload with an escape is not
 * base64 and is charged, too. Text that is not JSON is charged like JSON.
 */
export function parseChargeBytes(message: Uint8Array): number {
  const { length } = message;
  let payloadBytes = 0;
  let parts = 0;
  /** The last string was the name `payload`, followed by at most a colon. */
  let isPayloadNext = false;
  for (let at = 0; at < length; at += 1) {
    const byte = message[at] as number;
    if (byte !== QUOTE) {
      if (IS_PART[byte] === 0) continue;
      parts += 1;
      if (byte !== COLON) isPayloadNext = false;
      continue;
    }
    const from = at + 1;
    let isPlain = true;
    for (at = from; at < length && message[at] !== QUOTE; at += 1) {
      if (message[at] !== BACKSLASH) continue;
      isPlain = false;
      at += 1;
    }
    if (isPayloadNext && isPlain && payloadBytes === 0) payloadBytes = Math.min(at, length) - from;
    isPayloadNext = isPayloadKey(message, from, at);
  }
  return length - payloadBytes + MESSAGE_PART_BYTES * Math.max(0, parts - MESSAGE_PARTS_FREE);
}

function isPayloadKey(message: Uint8Array, from: number, to: number): boolean {
  if (to - from !== PAYLOAD_KEY.length) return false;
  for (let i = 0; i < PAYLOAD_KEY.length; i += 1) if (message[from + i] !== PAYLOAD_KEY[i]) return false;
  return true;
}
