import type { OrderedPacket } from "../../media/rtp/order.ts";
import { putUint32, uint32 } from "../../media/rtp/packet.ts";

// How a packet in order passes from the RTP transport to the wire of its call, as a binary message:
//
//   byte 0     how many packets before it are lost, at most 255
//   byte 1..4  its timestamp on the stream's timeline, in ticks of 48,000 Hz, big-endian
//   byte 5..   its payload: one Opus packet

export const ENVELOPE_BYTES = 5;
const MISSING_MAX = 255;

/** Writes the envelope to the start of `into`, and returns its length. Both are only borrowed. Allocates nothing. */
export function writeEnvelope(
  { bytes, payloadStart, payloadEnd, missing, timestamp }: OrderedPacket,
  into: Uint8Array,
): number {
  into[0] = Math.min(missing, MISSING_MAX);
  putUint32(into, 1, timestamp);
  for (let i = payloadStart; i < payloadEnd; i += 1) into[ENVELOPE_BYTES + i - payloadStart] = bytes[i] as number;
  return ENVELOPE_BYTES + payloadEnd - payloadStart;
}

/** How many packets before that of an envelope are lost, and its timestamp. */
export const envelopeMissing = (envelope: Uint8Array): number => envelope[0] as number;
export const envelopeTimestamp = (envelope: Uint8Array): number => uint32(envelope, 1);
