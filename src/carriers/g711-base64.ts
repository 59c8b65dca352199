import { A_LAW, MU_LAW } from "../media/g711.ts";
import type { G711Codec, InboundAudio } from "../wire/wire.ts";
import { BASE64_CHARACTERS } from "./base64-message.ts";

// Decodes base64 (RFC 4648, section 4) and G.711 in one loop, on the bytes of a message and without allocation. Strict:
// padding is required and unused bits must be zero, so that each audio has exactly one encoding.

// The tables of mu-law, followed by those of A-law, as constants of this module. Their indexes have a visible range, so
// the compiler omits the bounds checks.
const A_LAW_DECODE_AT = MU_LAW.decodeTable.length;
const DECODE = new Int16Array(2 * A_LAW_DECODE_AT);
DECODE.set(MU_LAW.decodeTable);
DECODE.set(A_LAW.decodeTable, A_LAW_DECODE_AT);

const QUOTE = 0x22;
const PAD = 0x3d;
/** By character code. INVALID is recognizable in the bitwise OR of several values. */
const INVALID = 0x40;
const VALUES = new Uint8Array(256).fill(INVALID);
for (const [value, character] of BASE64_CHARACTERS.entries()) VALUES[character] = value;

/**
 * Decodes the base64 that starts at `message[at]` and ends at a quote, by one of the two laws. Returns the index of the
 * quote. Returns -1 when the base64 is empty, not strict, unterminated or too long; then the content of `into` is
 * undefined.
 */
export function decodeG711Base64(message: Uint8Array, at: number, codec: G711Codec, into: InboundAudio): number {
  const { bytes, samples } = into;
  const law = codec === "alaw" ? A_LAW_DECODE_AT : 0;
  // Groups of four that fit in `into`, and that the message can hold before a quote.
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

/**
 * Decodes the last four characters, where one or two of them are padding. Returns the index of the quote after them, or
 * -1.
 */
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
