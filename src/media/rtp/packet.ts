import { wireMalformed } from "../../core/errors.ts";

/** RFC 3550, section 5.1: the header without CSRCs and without an extension. */
export const RTP_HEADER_BYTES = 12;
const VERSION = 2;

/**
 * A packet that was read. The payload lies in `bytes` from `payloadStart` to `payloadEnd`, and is borrowed like the
 * datagram. It may be empty: a packet of nothing but padding.
 */
export interface RtpPacket {
  bytes: Uint8Array;
  payloadStart: number;
  payloadEnd: number;
  payloadType: number;
  marker: boolean;
  /** 16 bits. */
  sequence: number;
  /** 32 bits, at RTP_CLOCK_HZ. */
  timestamp: number;
  /** 32 bits. */
  ssrc: number;
}

/** The header of a packet that is written. */
export type RtpHeader = Pick<RtpPacket, "payloadType" | "marker" | "sequence" | "timestamp" | "ssrc">;

/** A place for what `readRtp` reads, made once for a stream. */
export const rtpPacket = (): RtpPacket => ({
  bytes: new Uint8Array(0),
  payloadStart: 0,
  payloadEnd: 0,
  payloadType: 0,
  marker: false,
  sequence: 0,
  timestamp: 0,
  ssrc: 0,
});

/**
 * RFC 5761, section 4: whether a datagram of a port that RTP and RTCP share is RTCP. Its second byte is a packet type
 * of RTCP, 192 to 223, which no RTP packet has.
 */
export const isRtcp = (bytes: Uint8Array): boolean => {
  const type = bytes[1] ?? 0;
  return type >= 192 && type <= 223;
};

/**
 * Reads one RTP packet (RFC 3550, section 5.1) into `into`, which then refers to `bytes`: nothing is copied. CSRCs, the
 * header extension (section 5.3.1) and padding are skipped. Throws `wire_malformed`, and leaves `into` arbitrary.
 * Allocates nothing.
 */
export function readRtp(bytes: Uint8Array, into: RtpPacket): void {
  const length = bytes.length;
  if (length < RTP_HEADER_BYTES) throw malformed("a packet is shorter than its header");
  const first = bytes[0] as number;
  if (first >> 6 !== VERSION) throw malformed("a packet does not have version 2");
  let start = RTP_HEADER_BYTES + 4 * (first & 0x0f);
  if ((first & 0x10) !== 0) {
    if (start + 4 > length) throw malformed("a header extension is cut off");
    start += 4 + 4 * uint16(bytes, start + 2);
  }
  let end = length;
  if ((first & 0x20) !== 0) {
    const paddingBytes = bytes[length - 1] as number;
    if (paddingBytes === 0) throw malformed("padding is empty");
    end -= paddingBytes;
  }
  if (start > end) throw malformed("a packet is shorter than its header says");
  const second = bytes[1] as number;
  into.bytes = bytes;
  into.payloadStart = start;
  into.payloadEnd = end;
  into.payloadType = second & 0x7f;
  into.marker = second >= 0x80;
  into.sequence = uint16(bytes, 2);
  into.timestamp = uint32(bytes, 4);
  into.ssrc = uint32(bytes, 8);
}

/**
 * Writes one RTP packet to the start of `into`, which must have room for RTP_HEADER_BYTES and the payload, and returns
 * its length. Both are only borrowed. Allocates nothing.
 */
export function writeRtp(header: RtpHeader, payload: Uint8Array, into: Uint8Array): number {
  into[0] = VERSION << 6;
  into[1] = header.payloadType | (header.marker ? 0x80 : 0);
  into[2] = header.sequence >> 8;
  into[3] = header.sequence;
  putUint32(into, 4, header.timestamp);
  putUint32(into, 8, header.ssrc);
  into.set(payload, RTP_HEADER_BYTES);
  return RTP_HEADER_BYTES + payload.length;
}

/** How far `to` is ahead of `from`, of 16-bit sequence numbers; negative when it is earlier. -32,768 to 32,767. */
export const sequenceDistance = (from: number, to: number): number => ((to - from) << 16) >> 16;

/** How far `to` is ahead of `from`, of 32-bit timestamps, in ticks; negative when it is earlier. */
export const timestampDistance = (from: number, to: number): number => (to - from) | 0;

/** Reads and writes of big-endian numbers, which need no view of the bytes. Out of range they give arbitrary numbers. */
export const uint16 = (bytes: Uint8Array, at: number): number =>
  ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
export const uint32 = (bytes: Uint8Array, at: number): number =>
  (((bytes[at] as number) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)) >>>
  0;
export function putUint32(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value >>> 24;
  bytes[at + 1] = value >>> 16;
  bytes[at + 2] = value >>> 8;
  bytes[at + 3] = value;
}

const malformed = (what: string) => wireMalformed("rtp", what);
